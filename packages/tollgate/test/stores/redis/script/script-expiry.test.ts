import { describe, expect, it } from "vitest";
import { fixedWindow, type Limit, perMinute, perSecond, slidingWindow, tokenBucket } from "../../../../src/index.ts";
import { at, call, encoded, NOW_US, type TimedTransaction } from "./kit/script-call.ts";
import { useScriptServer } from "./kit/script-server.ts";

const DAY_US = 86_400_000_000;
const started = useScriptServer();

async function byServer(...transactions: TimedTransaction[]) {
  return started.server.run({ time: "server", transactions });
}

async function atTime(nowUs: number, ...transactions: TimedTransaction[]) {
  return started.server.run({ time: "transactions", transactions: at(nowUs, transactions) });
}

async function exists(name: string): Promise<boolean> {
  return (await started.server.command("EXISTS", name)) === 1;
}

async function serverUs(): Promise<number> {
  const [seconds, us] = (await started.server.command("TIME")) as [string, string];
  return Number(seconds) * 1_000_000 + Number(us);
}

/** When a key expires, in whole milliseconds since 1970. */
async function expiresMs(name: string): Promise<number> {
  return Number(await started.server.command("PEXPIRETIME", name));
}

const DAILY = tokenBucket({ capacity: 4, refill: 4, per: "1d" });

/** Calls, and the time after which their key is idle. One case for each form of the script. */
const CASES: readonly (readonly [name: string, limits: readonly Limit[], costs: readonly number[], leftUs: number])[] =
  [
    ["one bucket", [DAILY], [1], DAY_US / 4],
    ["a bucket in odd microseconds", [tokenBucket({ capacity: 1, refill: 1, per: 3_600_000.001 })], [1], 3_600_000_001],
    ["two buckets, the later of both", [perMinute(60), DAILY], [60, 2], DAY_US / 2],
    ["two buckets in the other order", [DAILY, perMinute(60)], [2, 60], DAY_US / 2],
    ["an inexact bucket", [tokenBucket({ capacity: 999_983, refill: 999_983, per: "1d" })], [999_983], DAY_US],
    ["a sliding window", [slidingWindow({ limit: 5, window: "3h" })], [2], DAY_US / 8],
    ["a window beside a bucket", [perSecond(5), slidingWindow({ limit: 5, window: "3h" })], [1, 1], DAY_US / 8],
    [
      "a shadow limit",
      [perSecond(5), tokenBucket({ name: "s", capacity: 1, refill: 1, per: "1d", mode: "shadow" })],
      [1, 1],
      DAY_US,
    ],
    [
      "an empty bucket, its idle time after it is full",
      [tokenBucket({ capacity: 3, refill: 1, per: "1h", initial: "empty", idleTtl: "2h" })],
      [0],
      5 * 3_600_000_000,
    ],
    ["ten years", [slidingWindow({ limit: 1, window: "3652.5d" })], [1], 3652.5 * DAY_US],
  ];

describe.each(CASES)("a key expires when it is idle: %s", (name, limits, costs, leftUs) => {
  it("a key expires by the server's time, rounded up to a millisecond", async () => {
    const plan = encoded(...limits);
    const before = await serverUs();
    await byServer(call("take", plan, `server ${name}`, costs));
    const after = await serverUs();
    const got = await expiresMs(`server ${name}`);
    expect(got).toBeGreaterThanOrEqual(Math.ceil((before + leftUs) / 1_000));
    expect(got).toBeLessThanOrEqual(Math.ceil((after + leftUs) / 1_000));
  });
});

describe("the moment that a key expires", () => {
  it("a key is gone after its expiry", async () => {
    await byServer(call("take", encoded(perSecond(100)), "soon"), call("take", encoded(perSecond(50)), "sooner"));
    await expect.poll(() => exists("soon"), { interval: 5 }).toBe(false);
    await expect.poll(() => exists("sooner"), { interval: 5 }).toBe(false);
  });
});

const EMPTY = tokenBucket({ capacity: 2, refill: 1, per: "1h", initial: "empty", idleTtl: "1h" });
const KINDS: readonly (readonly [name: string, limits: readonly Limit[]])[] = [
  ["a bucket", [DAILY]],
  ["two buckets", [DAILY, perMinute(60)]],
  ["an inexact bucket", [tokenBucket({ capacity: 999_983, refill: 999_983, per: "1d" })]],
  ["a sliding window", [slidingWindow({ limit: 5, window: "1h" })]],
  ["a fixed window", [fixedWindow({ limit: 5, window: "1h" })]],
  ["a bucket in shadow mode", [tokenBucket({ capacity: 1, refill: 1, per: "1d", mode: "shadow" })]],
];

describe.each(KINDS)("an idle key is not stored: %s", (name, limits) => {
  const plan = encoded(...limits);

  it("a key from which nothing was taken is not stored", async () => {
    const key = `untouched ${name}`;
    const capacity = Math.max(...limits.map((limit) => limit.capacity));
    await byServer(call("take", plan, key, 0), call("charge", plan, key, 0), call("refund", plan, key, 2));
    await byServer(call("take", plan, key, 0));
    await byServer(call("peek", plan, key), call("explain", plan, key));
    if (plan.plan.enforces[0] === true) await byServer(call("take", plan, key, capacity + 1));
    expect(await exists(key)).toBe(false);
  });

  it("a key to which all was given back is removed", async () => {
    const key = `given back ${name}`;
    await byServer(call("take", plan, key));
    expect(await exists(key)).toBe(true);
    await byServer(call("refund", plan, key));
    expect(await exists(key)).toBe(false);
    await byServer(call("take", plan, key), call("refund", plan, key));
    expect(await exists(key)).toBe(false);
  });
});

describe("a bucket that starts empty", () => {
  const plan = encoded(EMPTY);

  it("a bucket that starts empty is stored with its first call, even a denied one", async () => {
    const outcomes = await atTime(NOW_US, call("take", plan, "denied"), call("take", plan, "nothing", 0));
    expect(outcomes?.map(({ admitted }) => admitted)).toEqual([0, 1]);
    expect([await exists("denied"), await exists("nothing")]).toEqual([true, true]);
    const later = await atTime(NOW_US + 3_600_000_000, call("take", plan, "denied"));
    expect(later?.[0]?.admitted).toBe(1);
  });
});
