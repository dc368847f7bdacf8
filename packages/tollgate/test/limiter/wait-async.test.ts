import { createLimiter, tokenBucket } from "tollgate";
import { describe, expect, it, vi } from "vitest";
import { START_MS } from "../start-ms.ts";
import { AsyncTwin } from "../testing/async-twin.ts";
import { countingClock, denialOf, follow, type Wait } from "./line-clock.ts";

const ONE_A_SECOND = [tokenBucket({ capacity: 1, refill: 1, per: "1s" })];
/** The longest random part of a wait of a second. */
const JITTER_MS = 100;

function limiterOver(store: AsyncTwin) {
  const clock = countingClock(START_MS);
  return { clock, limiter: createLimiter({ limits: ONE_A_SECOND, clock, store }) };
}

/** Lets the twin answer what it was asked. */
async function answered(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

function endsOf(waits: readonly Wait[]): string[] {
  return waits.map(({ end }) => end);
}

describe("over a store elsewhere", () => {
  it("one call of a key asks at a time, when its denial told and a random part of a tenth later", async () => {
    const store = new AsyncTwin();
    const transact = vi.spyOn(store, "transact");
    const { clock, limiter } = limiterOver(store);
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    const waits = [1, 2, 3].map(() => follow(limiter.wait("a")));
    await answered();
    expect([endsOf(waits), transact.mock.calls.length]).toEqual([["allowed", "waits", "waits"], 2]);
    clock.advance(1_074.999);
    await answered();
    expect(transact).toHaveBeenCalledTimes(2);
    clock.advance(0.001);
    await answered();
    expect([endsOf(waits), transact.mock.calls.length]).toEqual([["allowed", "allowed", "waits"], 4]);
  });

  it("a head that was denied again asks with a smaller random part", async () => {
    const store = new AsyncTwin();
    const { clock, limiter } = limiterOver(store);
    await limiter.allow("a");
    vi.spyOn(Math, "random").mockReturnValue(1);
    const transact = vi.spyOn(store, "transact");
    const wait = follow(limiter.wait("a"));
    await answered();
    await limiter.charge("a", 1);
    clock.advance(1_000 + JITTER_MS);
    await answered();
    const asked = transact.mock.calls.length;
    clock.advance(900 + JITTER_MS / 2 - 6);
    await answered();
    expect([wait.end, transact.mock.calls.length - asked]).toEqual(["waits", 0]);
    clock.advance(6);
    await answered();
    expect(wait.end).toBe("allowed");
  });

  it("a signal that aborts while the store is asked ends the wait at once, and what was taken is given back", async () => {
    const store = new AsyncTwin();
    const { limiter } = limiterOver(store);
    const letGo = store.hold();
    const controller = new AbortController();
    const first = follow(limiter.wait("a", 1, { signal: controller.signal }));
    const second = follow(limiter.wait("a", 1));
    controller.abort("gone");
    await answered();
    expect([first.end, second.end]).toEqual(["gone", "waits"]);
    letGo();
    await answered();
    expect([first.end, second.end, store.corrections.map(([verb]) => verb)]).toEqual(["gone", "allowed", ["refund"]]);
    expect((await limiter.explain("a"))[0]?.used).toBe(1);
  });

  it("a call that is asked for at once holds up no others, and a denied one does", async () => {
    const { limiter } = limiterOver(new AsyncTwin());
    const wait = follow(limiter.wait("a"));
    const decision = await limiter.consume("a");
    expect([wait.end, !decision.allowed && decision.reason]).toEqual(["allowed", "exhausted"]);
    const next = follow(limiter.wait("a"));
    await answered();
    const behind = await limiter.consume("a");
    expect([next.end, !behind.allowed && behind.reason, await limiter.allow("a")]).toEqual([
      "waits",
      "others-waiting",
      false,
    ]);
  });

  it("while the store is unavailable the failure policy decides: admitted, or waiting until it is back", async () => {
    const store = new AsyncTwin();
    const { clock, limiter } = limiterOver(store);
    store.outage = { cause: "timeout", policy: "deny" };
    const waits = [follow(limiter.wait("a")), follow(limiter.wait("a"))];
    const short = await denialOf(limiter.wait("b", 1, { maxWait: 249 }));
    expect([short.reason, short.degraded]).toEqual(["store-unavailable", "timeout"]);
    await answered();
    expect(endsOf(waits)).toEqual(["waits", "waits"]);
    store.outage = { cause: "timeout", policy: "allow" };
    clock.advance(250 + JITTER_MS);
    await answered();
    expect(endsOf(waits)).toEqual(["allowed", "allowed"]);
  });

  it("an error of the store rejects the call that asked, and the next one asks", async () => {
    const store = new AsyncTwin();
    const { limiter } = limiterOver(store);
    vi.spyOn(store, "transact").mockRejectedValueOnce(new Error("broken"));
    const waits = [follow(limiter.wait("a")), follow(limiter.wait("a"))];
    await answered();
    expect(endsOf(waits)).toEqual(["Error: broken", "allowed"]);
  });

  it("close ends waits, and gives back what the store takes afterwards", async () => {
    const store = new AsyncTwin();
    const { clock, limiter } = limiterOver(store);
    const letGo = store.hold();
    const waits = [limiter.wait("a"), limiter.wait("a")];
    const closed = limiter.close();
    for (const wait of waits) await expect(wait).rejects.toMatchObject({ code: "ERR_CLOSED" });
    await closed;
    letGo();
    await answered();
    expect([(await limiter.explain("a"))[0]?.used, clock.timers]).toEqual([0, 0]);
  });
});
