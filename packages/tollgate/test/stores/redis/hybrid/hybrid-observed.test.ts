import { Registry } from "prom-client";
import { concurrency, fixedWindow, type Limit, perHour, slidingWindow, tokenBucket } from "tollgate";
import type { LeaseStatus } from "tollgate/hybrid";
import { instrument } from "tollgate/metrics";
import { describe, expect, it, onTestFinished } from "vitest";
import { linesOf } from "../../../metrics/scrape.ts";
import { useRedis } from "../kit/use-redis.ts";
import { allowTimes, type Node, openNodes } from "./kit/use-hybrid.ts";

const started = useRedis();

const WINDOW = slidingWindow({ limit: 1_000, window: "1h" });
const strictly = (why: string) => ({ how: "strict", why });

/** What `explain` says of each limit's leases. */
async function leasesOf({ limiter }: Node, key = "ann"): Promise<readonly (LeaseStatus | undefined)[]> {
  return (await limiter.explain(key)).map(({ lease }) => lease);
}

describe("explain", () => {
  it("has the units that a node holds, and until when", async () => {
    const limits = [perHour(10_000), fixedWindow({ limit: 20_000, window: "1d", name: "daily" })];
    const [node] = openNodes(started.redis, 1, limits);
    expect(await leasesOf(node!)).toEqual([strictly("little demand"), strictly("little demand")]);
    await allowTimes(node!, 300);
    const { leased, spent, returned } = node!.store.stats();
    const [hourly, daily] = await leasesOf(node!);
    expect(hourly).toMatchObject({ how: "leased", held: leased - spent - returned });
    expect(daily).toEqual(hourly);
    const endsInMs = hourly?.how === "leased" ? hourly.endsInMs : 0;
    expect(endsInMs).toBeGreaterThan(0);
    expect(endsInMs).toBeLessThan(10_000);
    await node!.limiter.block("ann", "1h");
    expect((await leasesOf(node!))[0]).toMatchObject({ how: "leased", held: 0, endsInMs: 0 });
  });

  it.each<[string, readonly Limit[], readonly string[]]>([
    [
      "a bucket beside places",
      [perHour(10_000), concurrency({ max: 400, ttl: "1m" })],
      ["another limit", "not leased"],
    ],
    ["sliding windows", [WINDOW], ["not leased"]],
    ["shadow limits", [perHour(1_000, { mode: "shadow" })], ["not leased"]],
    ["small capacities", [perHour(30)], ["small capacity"]],
    ["a refill of some milliseconds", [tokenBucket({ capacity: 100, refill: 2, per: "1ms" })], ["fast refill"]],
    ["another limit", [perHour(30), perHour(1_000)], ["small capacity", "another limit"]],
  ])("says why each call asks: %s", async (_name, limits, reasons) => {
    const [node] = openNodes(started.redis, 1, limits);
    expect(await leasesOf(node!)).toEqual(reasons.map(strictly));
  });

  it("says that a key is too long, or that too many nodes use it", async () => {
    const nodes = openNodes(started.redis, 4, [perHour(60)]);
    expect(await leasesOf(nodes[0]!, "x".repeat(300))).toEqual([strictly("long key")]);
    for (let round = 0; round < 3; round += 1) for (const node of nodes) await allowTimes(node, 4);
    const statuses = await Promise.all(nodes.map((node) => leasesOf(node)));
    expect(statuses).toContainEqual([strictly("too many nodes")]);
  });
});

describe("the metrics of a hybrid store", () => {
  it("are what stats() counts", async () => {
    const [node] = openNodes(started.redis, 1, [perHour(10_000)]);
    const registry = new Registry();
    onTestFinished(instrument(node!.store, { registry }));
    await allowTimes(node!, 300);
    node!.store.bypass = true;
    const { asks, decidedLocally, waited, leased, spent, returned, expired } = node!.store.stats();
    expect([asks, decidedLocally, waited, leased, spent, returned].every((count) => count > 0)).toBe(true);
    expect(await linesOf(registry, "rate_limit_hybrid")).toEqual([
      `rate_limit_hybrid_asks_total{store="hybrid"} ${asks}`,
      `rate_limit_hybrid_local_total{store="hybrid"} ${decidedLocally}`,
      `rate_limit_hybrid_waited_total{store="hybrid"} ${waited}`,
      `rate_limit_hybrid_leased_units_total{store="hybrid"} ${leased}`,
      `rate_limit_hybrid_spent_units_total{store="hybrid"} ${spent}`,
      `rate_limit_hybrid_returned_units_total{store="hybrid"} ${returned}`,
      `rate_limit_hybrid_expired_units_total{store="hybrid"} ${expired}`,
    ]);
  });
});
