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
import { ROW_VERSION } from "../../../../src/stores/redis/script/row.ts";
import { type Row, readRow } from "../kit/read-row.ts";
import { RespError } from "../servers/resp.ts";
import { call, encoded, NOW_US, type TimedTransaction } from "./kit/script-call.ts";
import { useScriptServer } from "./kit/script-server.ts";

const started = useScriptServer();

async function run(...transactions: TimedTransaction[]) {
  return started.server.run({ time: "transactions", transactions });
}

async function rowOf(name: string): Promise<Row> {
  return readRow(await started.server.raw("GET", name));
}

describe("the value of a key", () => {
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

  it("two buckets of a key with 16 characters take 128 bytes of the server", async () => {
    const plan = encoded(perMinute(100, { name: "burst" }), perHour(1_000, { name: "sustained" }));
    const name = "tg:api:0:{user1}";
    await run(call("take", plan, name));
    expect([name.length, Number(await started.server.command("STRLEN", name)) <= 44]).toEqual([16, true]);
    expect(await started.server.command("MEMORY", "USAGE", name)).toBeLessThanOrEqual(128);
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
});
