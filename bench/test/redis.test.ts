import { describe, expect, it, onTestFinished, vi } from "vitest";
import { KeyPool } from "../harness/keys.ts";
import { percentile } from "../harness/measuring.ts";
import { type AsyncCall, never } from "../process/contender.ts";
import { checkLimit, insertKeys, keepInFlight } from "../redis/calls.ts";
import { decide } from "../redis/contenders.ts";
import { readCommandStats, readMainThreadUs, startRedis } from "../redis/server.ts";

/** Counts in this process, and answers in a later turn of the event loop. */
function counting(limit: number, keyOf: (key: string) => string = (key) => key): AsyncCall {
  const counts = new Map<string, number>();
  const ask = async (key: string) => {
    const count = (counts.get(keyOf(key)) ?? 0) + 1;
    counts.set(keyOf(key), count);
    await new Promise(setImmediate);
    return count;
  };
  return { ask, admits: (count) => (count as number) <= limit, isDenial: never };
}

const isDenial = (reason: unknown) => reason === "too many";
const REJECTING: AsyncCall = { ask: () => Promise.reject("too many"), admits: () => true, isDenial };
const BROKEN: AsyncCall = { ...REJECTING, ask: () => Promise.reject(new Error("gone")) };

it("a decision is a denial as a result or as a rejection, but an error is not", async () => {
  const contender = counting(1);
  expect([await decide(contender, "ann"), await decide(contender, "ann")]).toEqual([true, false]);
  expect(await decide(REJECTING, "ann")).toBe(false);
  await expect(decide(BROKEN, "ann")).rejects.toThrow("gone");
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
    expect([most, underWay, calls.admitted]).toEqual([64, 0, calls.answers]);
    expect(calls.answers - calls.decisions).toBeLessThan(64);
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

describe("the check of decisions", () => {
  it("fails a contender that does not admit exactly the limit of each key", async () => {
    await checkLimit(counting(5), 5);
    await expect(checkLimit(counting(6), 5)).rejects.toThrow("expected 5, got 6");
    await expect(checkLimit(counting(4), 5)).rejects.toThrow("expected 5, got 4");
    const allAsOne = counting(5, () => "all");
    await expect(checkLimit(allAsOne, 5)).rejects.toThrow("another key admitted: expected 1, got 0");
  });

  it("fails a contender that denies a first call, or admits a second one of a key to be denied", async () => {
    await insertKeys(counting(1), new KeyPool(10), "distinct keys");
    await expect(insertKeys(counting(0), new KeyPool(10), "distinct keys")).rejects.toThrow("expected 10, got 0");
    await insertKeys(counting(1), new KeyPool(10), "denied keys");
    await expect(insertKeys(counting(2), new KeyPool(10), "denied keys")).rejects.toThrow("expected 0, got 10");
  });
});

it("a percentile is the smallest value that the fraction does not exceed", () => {
  const values = Float64Array.from({ length: 100 }, (_, i) => i + 1);
  expect([0.5, 0.99, 1, 0.001].map((fraction) => percentile(values, fraction))).toEqual([50, 99, 100, 1]);
});

describe("the server", () => {
  it("reports calls, time and failures of each command", () => {
    const line = "cmdstat_evalsha:calls=20,usec=95,usec_per_call=4.75,rejected_calls=1,failed_calls=2";
    const stats = readCommandStats(`# Commandstats\r\n${line}\r\n`);
    expect([...stats]).toEqual([["evalsha", { calls: 20, us: 95, failures: 3 }]]);
  });

  it("reports the time of its main thread", () => {
    const info = "used_cpu_sys:9\r\nused_cpu_sys_main_thread:1.25\r\nused_cpu_user_main_thread:2.000001\r\n";
    expect(readMainThreadUs(info)).toBeCloseTo(3_250_001);
    expect(() => readMainThreadUs("used_cpu_sys:9\r\n")).toThrow("expected the time of the main thread");
  });

  it("that is absent is an error with what to install", async () => {
    await expect(startRedis("no-such-server")).rejects.toThrow("needs no-such-server. Install it first: apt-get");
  });
});
