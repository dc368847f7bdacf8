import { concurrency, createLimiter, DeniedError, perSecond, TollgateError } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { settled } from "./line-clock.ts";

function limiterOf() {
  const clock = manualClock(1_790_000_000_000);
  return { clock, limiter: createLimiter({ limits: [perSecond(2)], clock }) };
}

describe("wrap", () => {
  it("calls the work when it is its turn, with its arguments, and returns the result", async () => {
    const { clock, limiter } = limiterOf();
    const calls: unknown[] = [];
    const worker = {
      factor: 10,
      multiply: limiter.wrap(
        function (this: { factor: number }, user: string, by: number) {
          calls.push([user, by]);
          return Promise.resolve(by * this.factor);
        },
        { input: (user) => user, cost: (_, by) => by },
      ),
    };
    const results = Promise.all([worker.multiply("ann", 2), worker.multiply("ann", 1), worker.multiply("bob", 1)]);
    await settled();
    expect(calls).toEqual([
      ["ann", 2],
      ["bob", 1],
    ]);
    clock.advance(500);
    expect(await results).toEqual([20, 10, 10]);
  });

  it("rejects with the decision where a call is denied, and never calls the work", async () => {
    const { limiter } = limiterOf();
    const calls: number[] = [];
    const work = limiter.wrap((n: number) => calls.push(n), { input: "all", cost: (n) => n, maxWait: 0 });
    await work(2);
    const error = await work(1).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DeniedError);
    expect(error).toBeInstanceOf(TollgateError);
    expect(error).toMatchObject({ code: "ERR_DENIED", decision: { allowed: false, retryAfterMs: 500 } });
    await expect(work(3)).rejects.toMatchObject({ decision: { reason: "cost-over-capacity" } });
    expect(calls).toEqual([2]);
  });

  it("rejects with what the work throws, and with the reason of its signal; both leave the line", async () => {
    const { clock, limiter } = limiterOf();
    const controller = new AbortController();
    const fails = limiter.wrap(
      () => {
        throw new Error("no luck");
      },
      { input: "all", cost: 2, signal: controller.signal },
    );
    await expect(fails()).rejects.toThrow("no luck");
    const late = fails();
    controller.abort(new Error("gone"));
    await expect(late).rejects.toThrow("gone");
    clock.advance(1_000);
    expect(limiter.peek("all", 2).allowed).toBe(true);
  });

  it.each([
    [{ input: undefined }, /input: expected/],
    [{ input: "a", costs: 1 }, /wrap: unknown option "costs"/],
    [undefined, /wrap: expected an object of options/],
  ])("refuses the options %j", (options, message) => {
    const { limiter } = limiterOf();
    expect(() => limiter.wrap(() => 1, options as never)).toThrow(message);
    expect(() => limiter.wrap(1 as never, { input: "a" })).toThrow(/wrap: expected a function/);
  });
});

describe("run", () => {
  it("does the work at its turn, resolves with its result, and calls no work that is denied", async () => {
    const { clock, limiter } = limiterOf();
    const calls: string[] = [];
    const work = (name: string) => async () => {
      calls.push(name);
      return `${name} done`;
    };
    expect(await limiter.run("all", work("first"), { cost: 2 })).toBe("first done");
    const second = limiter.run("all", work("second"));
    await settled();
    expect(calls).toEqual(["first"]);
    clock.advance(500);
    expect(await second).toBe("second done");
    await expect(limiter.run("all", work("late"), { maxWait: 0 })).rejects.toBeInstanceOf(DeniedError);
    const signal = AbortSignal.abort(new Error("gone"));
    await expect(limiter.run("all", work("gone"), { signal })).rejects.toThrow("gone");
    expect(calls).toEqual(["first", "second"]);
  });

  it("holds a place while the work goes on, whether or not it fails", async () => {
    const limiter = createLimiter({ limits: [concurrency({ max: 1, ttl: "1h" })] });
    const used = () => limiter.explain("all")[0]?.used;
    expect(await limiter.run("all", used)).toBe(1);
    await expect(limiter.run("all", () => Promise.reject(new Error("no luck")))).rejects.toThrow("no luck");
    expect(used()).toBe(0);
  });

  it.each([
    [[5], /run: expected a function that does the work/],
    [[() => 1, { key: "a" }], /run: unknown option "key"/],
    [[() => 1, { cost: -1 }], /cost/],
  ])("rejects what is wrong: %j", async (args, message) => {
    const { limiter } = limiterOf();
    await expect(limiter.run("all", ...(args as [() => unknown]))).rejects.toThrow(message);
    expect(limiter.explain("all")[0]?.used).toBe(0);
  });
});

describe("pace", () => {
  it("yields each item when it is its turn, and asks for no item before", async () => {
    const { clock, limiter } = limiterOf();
    let asked = 0;
    async function* source() {
      for (const item of ["a", "b", "c"]) {
        asked += 1;
        yield item;
      }
    }
    const items = limiter.pace(source(), { input: "all" });
    expect([(await items.next()).value, (await items.next()).value, asked]).toEqual(["a", "b", 2]);
    const third = items.next();
    await settled();
    expect([asked, limiter.explain("all")[0]?.used]).toEqual([3, 2]);
    clock.advance(500);
    expect((await third).value).toBe("c");
    expect((await items.next()).done).toBe(true);
  });

  it("ends its source when the caller stops, and when an item is denied", async () => {
    const { limiter } = limiterOf();
    const ended: string[] = [];
    function* source(name: string) {
      try {
        yield* [1, 2, 3];
      } finally {
        ended.push(name);
      }
    }
    for await (const item of limiter.pace(source("left"), { input: "all" })) if (item === 1) break;
    const denied = limiter.pace(source("denied"), { input: "all", cost: (item) => item, maxWait: 0 });
    expect((await denied.next()).value).toBe(1);
    await expect(denied.next()).rejects.toBeInstanceOf(DeniedError);
    expect(ended).toEqual(["left", "denied"]);
  });

  it("refuses what is no iterable, at once", () => {
    const { limiter } = limiterOf();
    expect(() => limiter.pace(5 as never, { input: "all" })).toThrow(/pace: expected an iterable/);
  });
});

it("work waits for its turn where keys are looked up, too", async () => {
  const clock = manualClock(1_790_000_000_000);
  const limiter = createLimiter({ key: async (user: string) => user, limits: [perSecond(1)], clock, async: true });
  const greet = limiter.wrap((user: string) => `hello ${user}`, { input: (user) => user });
  expect(await greet("ann")).toBe("hello ann");
  const second = greet("ann");
  await settled();
  clock.advance(1_000);
  expect(await second).toBe("hello ann");
});
