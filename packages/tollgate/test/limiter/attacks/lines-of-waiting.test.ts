import { combine, createLimiter, type Limiter, memoryStore, perDay, perMinute, tokenBucket } from "tollgate";
import type { SyncSpace, SyncStore } from "tollgate/store";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, vi } from "vitest";
import { START_MS } from "../../start-ms.ts";
import { type AnyStore, EVERY_STORE } from "../every-store.ts";
import { follow, settled } from "../line-clock.ts";

interface Call {
  readonly user: string;
  readonly route: string;
}

describe.each(EVERY_STORE.slice(0, 3))(
  "a combination of limiters of one name and one limit, over %s",
  (_name, create) => {
    it.each(["a block", "its limit"])("holds up only the caller that %s denies", async (cause) => {
      const common = { name: "api", limits: [perDay(5)], clock: manualClock(START_MS) };
      const perUser = createLimiter({ ...common, key: ({ user }: Call) => user, store: create() }) as Limiter<Call>;
      const perRoute = createLimiter({ ...common, key: ({ route }: Call) => route, store: create() }) as Limiter<Call>;
      const both = combine(perRoute, perUser);
      const [ann, bob] = ["ann", "bob"].map((user) => ({ user, route: "/" })) as [Call, Call];
      if (cause === "a block") perUser.block(ann, "1h");
      else perUser.allow(ann, 5);
      const [waiting, passing] = [follow(both.wait(ann)), follow(both.wait(bob))];
      await settled();
      expect([waiting.end, passing.end, both.allow(bob), perRoute.allow(ann)]).toEqual([
        "waits",
        "allowed",
        true,
        true,
      ]);
      if (cause === "a block") perUser.unblock(ann);
      else perUser.reset(ann);
      await settled();
      expect(waiting.end).toBe("allowed");
    });
  },
);

describe("limits that are chosen anew for each call", () => {
  /** Counts the spaces that are open. */
  function countSpaces(store: AnyStore): { open: number } {
    const spaces = { open: 0 };
    const open = store.open.bind(store) as SyncStore["open"];
    const counting: SyncStore["open"] = (plan, context) => {
      const space = open(plan, context);
      const release = space.release.bind(space);
      spaces.open += 1;
      return Object.assign(space, {
        release: () => {
          spaces.open -= 1;
          release();
        },
      } satisfies Partial<SyncSpace>);
    };
    Object.assign(store, { open: counting });
    return spaces;
  }

  // A shared store keeps its spaces.
  const stores = EVERY_STORE.filter(([name]) => name !== "the shared store");

  it.each(stores)("keep no more spaces open when calls wait, over %s", async (_name, createStore) => {
    const clock = manualClock(START_MS);
    const limits = (call: number) => [perMinute(60 + call, { name: `of-${call}` })];
    const open: number[] = [];
    for (const verb of ["allow", "wait", "acquire"] as const) {
      const store = createStore();
      const spaces = countSpaces(store);
      const limiter = createLimiter({ name: "api", key: () => "ann", limits, clock, store });
      for (let call = 0; call < 600; call += 1) {
        if (verb === "acquire") await (await limiter.acquire(call)).settle();
        else await limiter[verb](call);
        clock.advance(1_000);
        if (call % 100 === 0) await limiter.sweep();
      }
      open.push(spaces.open);
    }
    expect(open).toEqual(open.map(() => open[0]));
  });
});

/** A store that counts how often spaces say what they count, which every step of a forecast asks. */
function steppingStore(): SyncStore & { steps: number } {
  const store = memoryStore({ maxKeys: 10 });
  const counting = Object.assign(Object.create(store) as SyncStore, { steps: 0 });
  counting.open = (plan, context) =>
    Object.defineProperty(store.open(plan, context), "plan", {
      get: () => {
        counting.steps += 1;
        return plan;
      },
    });
  counting.blocks = (...args) => store.blocks!(...args);
  return counting;
}

describe("denying late calls takes steps in proportion to how many wait", () => {
  it("when a block makes all too late", async () => {
    const steps: number[] = [];
    for (const count of [1_000, 8_000]) {
      const clock = manualClock(START_MS);
      const store = steppingStore();
      const limits = [tokenBucket({ capacity: 8_000, refill: 8_000, per: "30s" })];
      const limiter = createLimiter({ limits, clock, store, maxWaiting: 10_000 });
      limiter.allow("ann", 8_000);
      const waits = Array.from({ length: count }, () => follow(limiter.wait("ann", 1, { maxWait: "1m" })));
      store.steps = 0;
      limiter.block("ann", "1h");
      await settled();
      expect(waits.every(({ end }) => end === "others-waiting" || end === "exhausted" || end === "blocked")).toBe(true);
      steps.push(store.steps);
    }
    const [few = 0, many = 0] = steps;
    expect(many).toBeLessThanOrEqual(8 * few + 100);
  });
});

it("a hundred waits with one signal listen to it once, so that Node warns of no leak", async () => {
  const clock = manualClock(START_MS);
  const limiter = createLimiter({ key: async (key: string) => key, limits: [perDay(1)], clock });
  const warned = vi.spyOn(process, "emitWarning");
  const controller = new AbortController();
  const waits = Array.from({ length: 100 }, (_, i) =>
    follow(limiter.wait(`${i % 9}`, 1, { signal: controller.signal })),
  );
  await settled();
  controller.abort("no more");
  await settled();
  expect(waits.filter(({ end }) => end === "no more")).toHaveLength(91);
  expect(warned).not.toHaveBeenCalled();
});
