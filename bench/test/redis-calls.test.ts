import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Contender, decide, never } from "../redis/contenders/contender.ts";
import { checkLimit } from "../redis/measure/check-variant.ts";
import { insertKeys } from "../redis/measure/insert.ts";
import { keepInFlight } from "../redis/measure/keep-in-flight.ts";
import { percentile } from "../redis/measure/percentile.ts";
import { KeyPool } from "../workloads/key-pool.ts";

/** Counts in this process, and answers in a later turn of the event loop. */
function counting(limit: number, keyOf: (key: string) => string = (key) => key): Contender {
  const counts = new Map<string, number>();
  return {
    ask: async (key) => {
      const counted = keyOf(key);
      const count = (counts.get(counted) ?? 0) + 1;
      counts.set(counted, count);
      await new Promise(setImmediate);
      return count;
    },
    admits: (count) => (count as number) <= limit,
    isDenial: never,
  };
}

const rejecting: Contender = {
  ask: () => Promise.reject("too many"),
  admits: () => true,
  isDenial: (reason) => reason === "too many",
};

describe("decide", () => {
  it("takes a denial for an answer, however it comes", async () => {
    const contender = counting(1);
    expect([await decide(contender, "ann"), await decide(contender, "ann")]).toEqual([true, false]);
    expect(await decide(rejecting, "ann")).toBe(false);
  });

  it("takes nothing else for a denial", async () => {
    const broken: Contender = { ...rejecting, ask: () => Promise.reject(new Error("gone")) };
    await expect(decide(broken, "ann")).rejects.toThrow("gone");
  });
});

describe("keepInFlight", () => {
  it("has so many calls under way, never more, until the time is over", async () => {
    let underWay = 0;
    let most = 0;
    const contender: Contender = {
      ask: async () => {
        underWay += 1;
        most = Math.max(most, underWay);
        await new Promise(setImmediate);
        underWay -= 1;
      },
      admits: () => true,
      isDenial: never,
    };
    const calls = await keepInFlight(contender, () => "ann", 64, 20);
    expect(most).toBe(64);
    expect(underWay).toBe(0);
    expect(calls.answers - calls.decisions).toBeLessThan(64);
    expect(calls.admitted).toBe(calls.answers);
  });

  it("times one call in eight, and looks then whether the time is over", async () => {
    let nowMs = 1_000;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => nowMs);
    onTestFinished(() => clock.mockRestore());
    // The longest come first: 100 ms, 99 ms …
    let lastsMs = 101;
    const ask = async () => {
      lastsMs -= 1;
      nowMs += lastsMs;
    };
    const calls = await keepInFlight({ ask, admits: () => true, isDenial: never }, () => "ann", 1, 1_500);
    // Over after 17 of them, and not yet after 9, when it looked before.
    expect(calls).toEqual({
      decisions: 17,
      answers: 17,
      admitted: 17,
      ms: 1_564,
      latenciesMs: Float64Array.of(84, 92, 100),
    });
  });

  it("ends although nothing but promises is waited for", async () => {
    const { decisions } = await keepInFlight({ ...rejecting, ask: async () => 1 }, () => "ann", 2, 5);
    expect(decisions).toBeGreaterThan(0);
  });

  it("counts what is denied apart", async () => {
    expect((await keepInFlight(rejecting, () => "ann", 4, 5)).admitted).toBe(0);
    expect((await keepInFlight(counting(3), () => "ann", 4, 5)).admitted).toBe(3);
  });

  it("fails with a call that does", async () => {
    const broken: Contender = { ...rejecting, ask: () => Promise.reject(new Error("gone")) };
    await expect(keepInFlight(broken, () => "ann", 4, 5)).rejects.toThrow("gone");
  });
});

describe("the check of a limit", () => {
  it("passes who admits exactly as many as it should, of each key", async () => {
    await expect(checkLimit(counting(5), 5)).resolves.toBeUndefined();
  });

  it.each([
    ["one too many", counting(6)],
    ["one too few", counting(4)],
    ["all", counting(Number.POSITIVE_INFINITY)],
    ["none", rejecting],
    ["as many for all keys together", counting(5, () => "all")],
  ])("fails who admits %s", async (_what, contender) => {
    await expect(checkLimit(contender, 5)).rejects.toThrow(/expected \d calls? to be admitted|expected \d calls/);
  });
});

describe("inserting keys", () => {
  it("asks about each once, and once more where they are to be denied", async () => {
    const asked: string[] = [];
    const contender = counting(1, (key) => {
      asked.push(key);
      return key;
    });
    await insertKeys(contender, new KeyPool(1_000), "distinct keys");
    expect(asked).toHaveLength(1_000);
    expect(new Set(asked).size).toBe(1_000);
    await expect(insertKeys(contender, new KeyPool(1_000), "distinct keys")).rejects.toThrow("but 0 were");
    await insertKeys(counting(1), new KeyPool(10), "denied keys");
    await expect(insertKeys(counting(2), new KeyPool(10), "denied keys")).rejects.toThrow("but 10 were");
  });
});

describe("percentile", () => {
  const hundred = Float64Array.from({ length: 100 }, (_, i) => i + 1);

  it.each([
    [0.5, 50],
    [0.99, 99],
    [1, 100],
    [0.001, 1],
  ])("%d of 1 to 100 is %d", (share, value) => {
    expect(percentile(hundred, share)).toBe(value);
  });

  it("is one of the values", () => {
    expect(percentile(Float64Array.of(1, 2, 4), 0.5)).toBe(2);
  });

  it("wants values", () => {
    expect(() => percentile(new Float64Array(0), 0.5)).toThrow("expected at least one");
  });
});
