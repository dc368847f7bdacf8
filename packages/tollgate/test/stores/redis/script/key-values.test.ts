import { describe, expect, it } from "vitest";
import {
  fixedWindow,
  type Limit,
  perHour,
  perMinute,
  perSecond,
  slidingWindow,
  tokenBucket,
} from "../../../../src/index.ts";
import { epochOf } from "../../../../src/stores/redis/script/epoch.ts";
import { RespError } from "../servers/resp.ts";
import { at, call, encoded, NOW_US, type TimedTransaction, together } from "./kit/script-call.ts";
import { useScriptServer } from "./kit/script-server.ts";

const started = useScriptServer();

async function run(...transactions: TimedTransaction[]) {
  return started.server.run({ time: "transactions", transactions });
}

/** The cells behind the layout. */
async function cellsOf(name: string): Promise<number[]> {
  const value = await started.server.raw("GET", name);
  if (!Buffer.isBuffer(value)) throw new Error("expected a value");
  expect(value.length % 8).toBe(0);
  return Array.from({ length: value.length / 8 - 1 }, (_, i) => value.readDoubleLE(8 * i + 8));
}

describe("the value of a key", () => {
  const sinceOrigin = NOW_US - epochOf(NOW_US).originUs;

  it("a token bucket is 8 bytes: when it is full again, in ticks of its epoch", async () => {
    await run(call("take", encoded(perSecond(10)), "bucket", 3));
    expect(await cellsOf("bucket")).toEqual([sinceOrigin + 300_000]);
  });

  it("several buckets are 8 bytes each, in the order of their identity", async () => {
    const [first, second] = [perMinute(60), perSecond(10)];
    await run(call("take", encoded(first, second), "two", [2, 1]));
    expect(await cellsOf("two")).toEqual([sinceOrigin + 100_000, sinceOrigin + 2_000_000]);
    await run(call("take", encoded(second, first), "two", [1, 2]));
    expect(await cellsOf("two")).toEqual([sinceOrigin + 200_000, sinceOrigin + 4_000_000]);
  });

  it("a fixed window is 16 bytes", async () => {
    await run(call("take", encoded(fixedWindow({ limit: 5, window: "1s" })), "fixed", 3));
    expect(await cellsOf("fixed")).toEqual([NOW_US, 3]);
  });

  it("a sliding window is stored up to its last used cell", async () => {
    const plan = encoded(slidingWindow({ limit: 1_000_000, window: "4s", resolution: "1ms" }));
    await run(call("take", plan, "ring", 3));
    expect(await cellsOf("ring")).toEqual([1, NOW_US, NOW_US, 3]);
    const laterUs = NOW_US + 1_000;
    await run(call("take", plan, "ring", 4, { nowUs: laterUs }));
    expect(await cellsOf("ring")).toEqual([2, laterUs, NOW_US, 3, laterUs, 7]);
  });

  it("rings are the last part of a value, so that it can be short", async () => {
    const plan = encoded(slidingWindow({ limit: 64, window: "1h", resolution: "1ms" }), perSecond(10));
    await run(call("take", plan, "ring and bucket"));
    expect(await cellsOf("ring and bucket")).toEqual([sinceOrigin + 100_000, 1, NOW_US, NOW_US, 1]);
  });

  it("a value begins with 8 bytes that name the layout", async () => {
    const lists = [[perSecond(10)], [perSecond(10, { name: "a" })], [perSecond(10, { name: "a" }), perMinute(60)]];
    for (const limits of lists) {
      const plan = encoded(...limits);
      await run(call("take", plan, plan.head));
      const value = String(await started.server.command("GET", plan.head));
      expect([value.slice(0, 8), await cellsOf(plan.head)]).toEqual([plan.head, limits.map(() => expect.any(Number))]);
    }
  });

  it("trailing zeros are not stored, and are read back", async () => {
    const { originUs } = epochOf(NOW_US);
    const plans = [encoded(perSecond(10)), encoded(perSecond(10), perMinute(600))];
    for (const [i, plan] of plans.entries()) {
      const runAt = (nowUs: number, transaction: TimedTransaction) => run({ ...transaction, nowUs });
      await runAt(originUs - 100_000, call("charge", plan, `zero ${i}`));
      expect(await cellsOf(`zero ${i}`)).toEqual([]);
      const [outcome] = (await runAt(originUs - 100_000, call("take", plan, `zero ${i}`))) ?? [];
      expect(outcome?.reports[0]?.used).toEqual(plan.plan.limits.map(() => 2));
    }
  });

  it("trailing zeros of some buckets are read back", async () => {
    const plan = encoded(perSecond(10), perMinute(600));
    const { originUs } = epochOf(NOW_US);
    const ask = (costs: readonly number[]) =>
      run(...at(originUs - 100_000, [call("charge", plan, "some zeros", costs), call("peek", plan, "some zeros", 0)]));
    await ask([2, 1]);
    expect(await cellsOf("some zeros")).toEqual([100_000]);
    const taken = await run(call("take", plan, "some zeros", 1, { nowUs: originUs - 100_000 }));
    expect(taken?.[0]?.reports[0]?.used).toEqual([3, 2]);
  });

  it("cells between the changed cells of a long ring are preserved", async () => {
    const plan = encoded(slidingWindow({ limit: 30, window: "1h" }));
    for (let us = 0; us < 30; us += 1) {
      await run(call("take", plan, "long ring", 1, { nowUs: NOW_US + us }));
    }
    const groups = Array.from({ length: 30 }, (_, us) => [NOW_US + us, us + 1]);
    expect(await cellsOf("long ring")).toEqual([30, NOW_US + 29, ...groups.flat()]);
    await run(call("refund", plan, "long ring", 10, { nowUs: NOW_US + 30 }));
    // The refund emptied later groups. One empty group keeps the last opening.
    expect((await cellsOf("long ring")).slice(2, 42)).toEqual(groups.slice(0, 20).flat());
  });
});

/** One case for each form of the script. */
const WAYS: readonly (readonly [name: string, limits: readonly Limit[]])[] = [
  ["one bucket", [perSecond(10)]],
  ["several buckets", [perSecond(10), perHour(1_000)]],
  ["any limits", [slidingWindow({ limit: 10, window: "1h" })]],
];

describe.each(WAYS)("a foreign value is an error that changes nothing: %s", (way, limits) => {
  const plan = encoded(...limits);

  async function errorOf(key: string, ...transactions: TimedTransaction[]): Promise<string> {
    const error: unknown = await run(...transactions).catch((thrown: unknown) => thrown);
    if (!(error instanceof RespError)) throw new Error("expected an error");
    expect(await started.server.command("EXISTS", `${key} beside`)).toBe(0);
    return error.message;
  }

  it("a value of 7 bytes is an error", async () => {
    const key = `seven ${way}`;
    await started.server.command("SET", key, "foreign");
    const message = `tollgate: key ${key}: expected a value of `;
    expect(await errorOf(key, call("take", plan, key))).toContain(message);
    expect(await errorOf(key, call("take", plan, `${key} beside`), call("take", plan, key))).toContain(message);
    expect(await started.server.command("GET", key)).toBe("foreign");
  });

  it("a value of another type is an error", async () => {
    const key = `hash ${way}`;
    await started.server.command("HSET", key, "field", "1");
    expect(await errorOf(key, call("take", plan, key))).toContain("WRONGTYPE");
    expect(await errorOf(key, call("take", plan, `${key} beside`), call("take", plan, key))).toContain("WRONGTYPE");
    expect(await started.server.command("TYPE", key)).toBe("hash");
  });
});

describe("a long value under a short plan", () => {
  it.each([
    ["one bucket", [perSecond(10)]],
    ["several buckets", [perSecond(10), perHour(1_000)]],
  ] as const)("a value that is longer than its plan is an error: %s", async (way, limits) => {
    const plan = encoded(...limits);
    await started.server.command("SET", `long ${way}`, plan.head + "12345678".repeat(3));
    await expect(run(call("take", plan, `long ${way}`))).rejects.toThrow(`key long ${way}: expected`);
  });
});

describe("large calls", () => {
  it("huge numbers are transferred exactly", async () => {
    const plan = encoded(tokenBucket({ capacity: 2 ** 50, refill: 1, per: "3650d" }));
    const [outcome] = (await run(call("charge", plan, "huge", Number.MAX_SAFE_INTEGER))) ?? [];
    const [resetUs = 0] = outcome?.reports[0]?.resetUs ?? [];
    expect(resetUs).toBeGreaterThan(2 ** 90);
    expect(outcome?.reports[0]?.waitUs).toEqual([Number.POSITIVE_INFINITY]);
  });

  it("a call may have more keys than the stack of Lua", async () => {
    const plan = encoded(perSecond(10));
    const calls = Array.from({ length: 9_000 }, (_, i) =>
      call("take", plan, `many ${i}`, 1, { detail: "first-denied" }),
    );
    const outcomes = await run(...calls);
    expect(outcomes?.every(({ admitted }) => admitted === 1)).toBe(true);
    expect(await started.server.command("EXISTS", "many 0", "many 8999")).toBe(2);
  });

  it("a transaction may stand for many calls of one key", async () => {
    const million = encoded(perSecond(1_000_000));
    const outcomes = await run(
      call("take", million, "hot", 1, { times: 1_000_001, detail: "first-denied" }),
      call("take", million, "hot", 0, { times: 1_000_001, detail: "first-denied" }),
    );
    expect(outcomes?.map(({ admitted }) => admitted)).toEqual([1_000_000, 1_000_001]);
    expect(outcomes?.[0]?.reports[0]?.used).toEqual([1_000_000]);
  });
});

describe("keys that are counted together", () => {
  it("keys that are counted together take all or nothing", async () => {
    const [narrow, wide] = [encoded(perHour(1)), encoded(perHour(10))];
    const both = () => run(together(call("take", narrow, "narrow"), call("take", wide, "wide")));
    expect((await both())?.[0]?.admitted).toBe(1);
    const [denied] = (await both()) ?? [];
    expect(denied?.admitted).toBe(0);
    expect(denied?.reports[0]?.used).toEqual([1, 1]);
  });
});
