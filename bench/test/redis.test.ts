import { describe, expect, it, onTestFinished, vi } from "vitest";
import { KeyPool } from "../harness/keys.ts";
import { percentile } from "../harness/measuring.ts";
import { type AsyncCall, never } from "../process/contender.ts";
import { checkLimit, insertKeys, keepInFlight } from "../redis/calls.ts";
import { decide } from "../redis/contenders.ts";
import { readCommandStats, readMainThreadUs, readVersion, startRedis } from "../redis/server.ts";

/** Counts in this process, and answers in a later turn of the event loop. */
function counting(limit: number, keyOf: (key: string) => string = (key) => key): AsyncCall {
  const counts = new Map<string, number>();
  return {
    async ask(key) {
      const count = (counts.get(keyOf(key)) ?? 0) + 1;
      counts.set(keyOf(key), count);
      await new Promise(setImmediate);
      return count;
    },
    admits: (count) => (count as number) <= limit,
    isDenial: never,
  };
}

const isDenial = (reason: unknown) => reason === "too many";
const REJECTING: AsyncCall = { ask: () => Promise.reject("too many"), admits: () => true, isDenial };
const BROKEN: AsyncCall = { ...REJECTING, ask: () => Promise.reject(new Error("gone")) };

describe("a decision", () => {
  it("is a denial as a result or as a rejection, but an error is not", async () => {
    const contender = counting(1);
    expect([await decide(contender, "ann"), await decide(contender, "ann")]).toEqual([true, false]);
    expect(await decide(REJECTING, "ann")).toBe(false);
    await expect(decide(BROKEN, "ann")).rejects.toThrow("gone");
  });
});

describe("calls in flight", () => {
  it("are as many as asked for, never more, until the time is over", async () => {
    let underWay = 0;
    let most = 0;
    const ask = async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise(setImmediate);
      underWay -= 1;
    };
    const calls = await keepInFlight({ ...REJECTING, ask }, () => "ann", 64, 20);
    expect([most, underWay]).toEqual([64, 0]);
    expect(calls.answers - calls.decisions).toBeLessThan(64);
    expect(calls.admitted).toBe(calls.answers);
  });

  it("are timed one in eight, which then checks whether the time is over", async () => {
    let nowMs = 1_000;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => nowMs);
    onTestFinished(() => clock.mockRestore());
    // Calls take 100 ms, 99 ms and so on: 1,500 ms are over between the checks after 9 and 17 calls.
    let lastsMs = 101;
    const ask = async () => {
      lastsMs -= 1;
      nowMs += lastsMs;
    };
    const calls = await keepInFlight({ ...REJECTING, ask }, () => "ann", 1, 1_500);
    const latenciesMs = Float64Array.of(84, 92, 100);
    expect(calls).toEqual({ decisions: 17, answers: 17, admitted: 17, ms: 1_564, latenciesMs });
  });

  it("count denials apart and fail with a failing call", async () => {
    expect((await keepInFlight(REJECTING, () => "ann", 4, 5)).admitted).toBe(0);
    expect((await keepInFlight(counting(3), () => "ann", 4, 5)).admitted).toBe(3);
    await expect(keepInFlight(BROKEN, () => "ann", 4, 5)).rejects.toThrow("gone");
  });
});

describe("the check of a limit", () => {
  it.each([
    ["exactly the limit", counting(5), undefined],
    ["one too many", counting(6), "expected 5, got 6"],
    ["one too few", counting(4), "expected 5, got 4"],
    ["nothing", REJECTING, "expected 5, got 0"],
    ["the limit for all keys together", counting(5, () => "all"), "another key admitted: expected 1, got 0"],
  ])("of a contender that admits %s", async (_what, contender, error) => {
    const checked = checkLimit(contender, 5).catch((reason: unknown) => String(reason));
    expect(await checked).toEqual(error === undefined ? undefined : expect.stringContaining(error));
  });

  it.each([
    ["distinct keys", 1, undefined],
    ["distinct keys", 0, "expected 10, got 0"],
    ["denied keys", 1, undefined],
    ["denied keys", 2, "expected 0, got 10"],
  ] as const)("while %s are inserted under a limit of %d", async (workload, limit, error) => {
    const inserted = insertKeys(counting(limit), new KeyPool(10), workload).catch((reason: unknown) => String(reason));
    expect(await inserted).toEqual(error === undefined ? undefined : expect.stringContaining(error));
  });
});

describe("a percentile", () => {
  it.each([
    [0.5, 50],
    [0.99, 99],
    [1, 100],
    [0.001, 1],
  ])("%d of 1 to 100 is %d", (fraction, value) => {
    expect(
      percentile(
        Float64Array.from({ length: 100 }, (_, i) => i + 1),
        fraction,
      ),
    ).toBe(value);
  });
});

describe("the server", () => {
  it("reports calls, time and failures of each command", () => {
    const line = "cmdstat_evalsha:calls=20,usec=95,usec_per_call=4.75,rejected_calls=1,failed_calls=2";
    expect([...readCommandStats(`# Commandstats\r\n${line}\r\n`)]).toEqual([
      ["evalsha", { calls: 20, us: 95, failures: 3 }],
    ]);
  });

  it("reports the time of its main thread", () => {
    const info = "used_cpu_sys:9\r\nused_cpu_sys_main_thread:1.25\r\nused_cpu_user_main_thread:2.000001\r\n";
    expect(readMainThreadUs(info)).toBeCloseTo(3_250_001);
    expect(() => readMainThreadUs("used_cpu_sys:9\r\n")).toThrow("expected the time of the main thread");
  });

  it("that is not installed gives an error with what to install", async () => {
    await expect(startRedis("no-such-server")).rejects.toThrow(
      "needs no-such-server. Install it first: apt-get install",
    );
  });

  it.each([
    ["Redis server v=7.0.15 sha=00000000:0", "Redis 7.0.15"],
    ["Valkey server v=8.0.1 sha=00000000:0", "Valkey 8.0.1"],
    ["", "Redis of unknown version"],
  ])("prints its version: %j", (printed, version) => {
    expect(readVersion(printed)).toBe(version);
  });
});
