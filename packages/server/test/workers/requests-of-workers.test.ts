import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { RECENT_BOUNDS, RecentRequests } from "../../src/limits/recent-requests.ts";
import type { Answered } from "../../src/workers/questions.ts";
import { requestsOf } from "../../src/workers/requests-of-workers.ts";
import type { WorkerSlot } from "../../src/workers/worker-slot.ts";

type AskedSlot = Pick<WorkerSlot, "isReady" | "diedMsAgo"> & {
  ask(request: { readonly before?: number | undefined }): Promise<Answered>;
};

/** A worker that has these requests, as the primary process asks it. */
function slotOf(recent: RecentRequests, changes: Partial<AskedSlot> = {}): WorkerSlot {
  const slot: AskedSlot = {
    isReady: true,
    diedMsAgo: Number.POSITIVE_INFINITY,
    ask: async ({ before }) => ({ kind: "answer", content: structuredClone(recent.page(before)) }),
    ...changes,
  };
  return slot as unknown as WorkerSlot;
}

const clock = manualClock();

function workers(count: number): readonly RecentRequests[] {
  return Array.from({ length: count }, () => new RecentRequests(clock, RECENT_BOUNDS, "salt"));
}

/** So many requests, which the workers serve in turn, a millisecond each. */
function serve(recent: readonly RecentRequests[], requests: number, path = (i: number): string => `/${i}`): void {
  for (let i = 0; i < requests; i += 1) {
    clock.advance(1);
    recent[i % recent.length]?.note("api", { path: path(i) }, undefined, "consume");
  }
}

const paths = (requests: readonly { readonly facts: { readonly path?: string | undefined } }[]) =>
  requests.map(({ facts }) => facts.path);

describe("the requests of several workers", () => {
  it("are in the order of their time, page by page", async () => {
    const recent = workers(3);
    serve(recent, 1_000);
    const { requests, isComplete } = await requestsOf(recent.map((one) => slotOf(one))).collect();
    expect(paths(requests)).toEqual(Array.from({ length: 1_000 }, (_, i) => `/${i}`));
    expect(isComplete).toBe(true);
  });

  it("are the latest ones if there are more than one process keeps", async () => {
    const recent = workers(2);
    serve(recent, RECENT_BOUNDS.requests + 500);
    const { requests, isComplete } = await requestsOf(recent.map((one) => slotOf(one))).collect();
    expect(requests).toHaveLength(RECENT_BOUNDS.requests);
    expect([requests[0], requests.at(-1)].map((one) => one?.facts.path)).toEqual(["/500", "/20499"]);
    expect(isComplete).toBe(false);
    clock.advance(RECENT_BOUNDS.ms + 1);
    expect(await requestsOf(recent.map((one) => slotOf(one))).collect()).toEqual({ requests: [], isComplete: true });
  });

  it("have no more characters than one process keeps", async () => {
    const recent = workers(2);
    serve(recent, 10_000, () => `/${"a".repeat(500)}`);
    const { requests, isComplete } = await requestsOf(recent.map((one) => slotOf(one))).collect();
    expect(requests.length).toBeGreaterThan(6_000);
    expect(requests.length * 600).toBeLessThanOrEqual(RECENT_BOUNDS.characters);
    expect(isComplete).toBe(false);
  });

  it("are not complete if a worker is silent, was started lately or starts", async () => {
    const changes: readonly Partial<AskedSlot>[] = [
      { ask: async () => ({ kind: "late" }) },
      { ask: async () => ({ kind: "gone" }) },
      { diedMsAgo: 59_000 },
      { isReady: false },
    ];
    for (const change of changes) {
      const recent = workers(2);
      serve(recent, 4);
      const slots = [slotOf(recent[0]!), slotOf(recent[1]!, change)];
      const { requests, isComplete } = await requestsOf(slots).collect();
      expect(paths(requests)).toEqual(expect.arrayContaining(["/0", "/2"]));
      expect(isComplete).toBe(false);
    }
  });
});
