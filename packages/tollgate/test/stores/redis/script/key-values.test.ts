import { describe, expect, it } from "vitest";
import {
  concurrency,
  fixedWindow,
  type Limit,
  perHour,
  perMinute,
  perSecond,
  slidingWindow,
  tokenBucket,
} from "../../../../src/index.ts";
import { epochOf } from "../../../../src/stores/redis/script/epoch.ts";
import { ROW_VERSION } from "../../../../src/stores/redis/script/row.ts";
import { cellsIn, type Row, readRow } from "../kit/read-row.ts";
import { RespError } from "../servers/resp.ts";
import { call, encoded, NOW_US, type TimedTransaction, together } from "./kit/script-call.ts";
import { useScriptServer } from "./kit/script-server.ts";

const started = useScriptServer();

async function run(...transactions: TimedTransaction[]) {
  return started.server.run({ time: "transactions", transactions });
}

async function rowOf(name: string): Promise<Row> {
  return readRow(await started.server.raw("GET", name));
}

/** The cells of all limits, in the order of the row. */
async function cellsOf(name: string): Promise<number[]> {
  return (await rowOf(name)).entries.flatMap(cellsIn);
}

describe("the value of a key", () => {
  const sinceOrigin = NOW_US - epochOf(NOW_US).originUs;

  it("a row has the version and the moment at which it was made, then each limit with its numbers", async () => {
    const limits = [
      perSecond(10, { name: "a" }),
      tokenBucket({ capacity: 5_000, refill: 3, per: 0.001, name: "b" }),
      tokenBucket({ capacity: 2 ** 40, refill: 1, per: "1d", initial: "empty", idleTtl: 1, name: "c" }),
      fixedWindow({ limit: 999_983, window: "1s", anchor: "first-use", name: "d" }),
      fixedWindow({ limit: 1, window: "30d", anchor: "clock", name: "e" }),
      slidingWindow({ limit: 64, window: "1h", resolution: "1ms", name: "f" }),
      concurrency({ max: 2, ttl: 1.5, name: "g" }),
    ];
    const plan = encoded(...limits);
    await run(call("charge", plan, "row"), call("charge", plan, "row", 1, { nowUs: NOW_US + 1 }));
    const { version, bornUs, entries } = await rowOf("row");
    expect([version, bornUs]).toEqual([ROW_VERSION, NOW_US]);
    expect(entries.map(({ kind, numbers }) => [kind, ...numbers].join(" ")).sort()).toEqual([
      "b 10 1000000",
      "c 1 2592000000000",
      `e ${2 ** 40} 86400000000 1 1000`,
      "f 999983 1000000",
      "p 2 1500",
      "r 5000 1 3",
      "s 64 3600000000 1000",
    ]);
  });

  it("a token bucket has one cell: when it is full again, in ticks of its epoch", async () => {
    await run(call("take", encoded(perSecond(10)), "bucket", 3));
    expect(await cellsOf("bucket")).toEqual([sinceOrigin + 300_000]);
  });

  it("two buckets of a key with 16 characters take 128 bytes of the server", async () => {
    const plan = encoded(perMinute(100, { name: "burst" }), perHour(1_000, { name: "sustained" }));
    const name = "tg:api:0:{user1}";
    await run(call("take", plan, name));
    expect([name.length, Number(await started.server.command("STRLEN", name)) <= 44]).toEqual([16, true]);
    expect(await started.server.command("MEMORY", "USAGE", name)).toBeLessThanOrEqual(128);
  });

  it("the order of the limits of a list does not matter", async () => {
    const [first, second] = [perMinute(60), perSecond(10)];
    await run(call("take", encoded(first, second), "two", [2, 1]));
    const sorted = async () => (await cellsOf("two")).sort((one, other) => one - other);
    expect(await sorted()).toEqual([sinceOrigin + 100_000, sinceOrigin + 2_000_000]);
    await run(call("take", encoded(second, first), "two", [1, 2]));
    expect(await sorted()).toEqual([sinceOrigin + 200_000, sinceOrigin + 4_000_000]);
  });

  it("a fixed window has two cells", async () => {
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

  it.each([
    ["another value", "foreign"],
    ["another version", "\x02234567890123456789012345678901234567890"],
    ["a row that is cut", "\x0123456781234"],
  ])("%s is an error", async (what, value) => {
    const key = `${what} ${way}`;
    await started.server.command("SET", key, value);
    const message = `tollgate: key ${key}: expected a value of `;
    expect(await errorOf(key, call("take", plan, key))).toContain(message);
    expect(await errorOf(key, call("take", plan, `${key} beside`), call("take", plan, key))).toContain(message);
    expect(await started.server.command("GET", key)).toBe(value);
  });

  it("a value of another type is an error", async () => {
    const key = `hash ${way}`;
    await started.server.command("HSET", key, "field", "1");
    expect(await errorOf(key, call("take", plan, key))).toContain("WRONGTYPE");
    expect(await errorOf(key, call("take", plan, `${key} beside`), call("take", plan, key))).toContain("WRONGTYPE");
    expect(await started.server.command("TYPE", key)).toBe("hash");
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
