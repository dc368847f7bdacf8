import { type AsyncLimiter, combine, createLimiter, type Limiter, perMinute, TollgateError } from "tollgate";
import { describe, expect, expectTypeOf, it } from "vitest";
import { AsyncTwin } from "../testing/async-twin.ts";

const limits = [perMinute(9)];

describe("a limiter whose key function takes no input", () => {
  const limiter = createLimiter({ key: () => "all", limits });

  it("is called without one, by each verb", async () => {
    expect(limiter.allow()).toBe(true);
    expect(limiter.consume().remaining).toBe(7);
    expect(limiter.allow(undefined, 2)).toBe(true);
    expect([limiter.peek().remaining, limiter.explain()[0]?.used]).toEqual([4, 4]);
    expect((await limiter.wait()).allowed).toBe(true);
    limiter.reserve().cancel();
    limiter.block(undefined, "1h");
    expect([limiter.allow(), limiter.unblock()]).toEqual([false, true]);
    limiter.reset();
    expect(limiter.peek().remaining).toBe(8);
  });

  it("is called without one over a store elsewhere, too", async () => {
    const remote = createLimiter({ name: "all", key: () => "all", limits, store: new AsyncTwin() });
    expectTypeOf(remote.allow()).toEqualTypeOf<Promise<boolean>>();
    expect([await remote.allow(), (await remote.consume()).remaining]).toEqual([true, 6]);
  });

  it("is a limiter of any input, for adapters and combinations", () => {
    expectTypeOf(limiter).toExtend<Limiter<{ readonly path: string }>>();
    const perUser = createLimiter({ key: (call: { readonly user: string }) => call.user, limits });
    expectTypeOf(combine(limiter, perUser)).toEqualTypeOf<Limiter<{ readonly user: string }>>();
  });
});

describe("an input that is missing by mistake", () => {
  const byText = createLimiter({ limits });
  const byUser = createLimiter({ key: (user: { readonly id: string }) => user.id, limits });
  const byIds = createLimiter({ key: (id: string) => id, limits, store: new AsyncTwin(), name: "ids" });

  it("is a compile error, and ERR_KEY where the compiler did not look", async () => {
    const code = (call: () => unknown) => {
      try {
        return call();
      } catch (error) {
        return error instanceof TollgateError ? error.code : String(error);
      }
    };
    // @ts-expect-error An input is missing.
    expect(code(() => byText.allow())).toBe("ERR_KEY");
    // @ts-expect-error An input is missing.
    expect(code(() => byText.consume())).toBe("ERR_KEY");
    // @ts-expect-error An input is missing.
    await expect(byText.wait()).rejects.toMatchObject({ code: "ERR_KEY" });
    // @ts-expect-error An input is missing.
    await expect(byIds.allow()).rejects.toMatchObject({ code: "ERR_KEY" });
    // @ts-expect-error An input is missing: the key function needs one.
    expect(() => byUser.allow()).toThrow(TypeError);
    expectTypeOf(byIds).toEqualTypeOf<AsyncLimiter>();
  });
});
