import { createLimits, type Limits, type LimitsFile, type RuleWords } from "tollgate/config";
import { describe, expect, it } from "vitest";
import { freshPrefix, useRedis } from "./kit/use-redis.ts";

const inUse = useRedis();

const fileOf = (limits: Readonly<Record<string, RuleWords>>): LimitsFile => ({
  version: 1,
  domains: { api: { limits } },
});

const ANN = { ip: "192.0.2.1", path: "/login", header: { "x-api-key": "k-1" } };
const BOB = { ...ANN, ip: "192.0.2.2" };

/** Two nodes with one quota. */
function fleetOf(file: LimitsFile): readonly Limits<"async">[] {
  const prefix = freshPrefix();
  return [0, 1].map(() => createLimits(file, { store: inUse.redis.store({ prefix }) }));
}

describe("limits of a file over Redis", () => {
  it("keep counts and places over a reload, also on the nodes that have not reloaded", async () => {
    const before = fileOf({ r: { by: "ip", quota: "10/1d", inflight: { max: 2, ttl: "1m" } } });
    const after = fileOf({
      r: { by: "ip", quota: "20/1d", inflight: { max: 3, ttl: "1m" }, keys: { "192.0.2.9": "deny" } },
    });
    const [first, second] = fleetOf(before);
    const reservation = await first!.reserve("api", ANN, 8);
    first!.update(after);
    expect((await first!.reserve("api", { ip: "192.0.2.9" })).decision).toMatchObject({ reason: "denied" });
    expect((await first!.peek("api", ANN, 13)).allowed).toBe(false);
    expect((await first!.peek("api", ANN, 12)).allowed).toBe(true);
    expect((await second!.peek("api", ANN, 3)).allowed).toBe(false);
    expect((await second!.peek("api", ANN, 2)).allowed).toBe(true);
    await reservation.settle(1);
    expect((await first!.peek("api", ANN, 19)).allowed).toBe(true);
    await second!.block("api", ANN, "1m");
    expect(await first!.peek("api", ANN)).toMatchObject({ reason: "blocked" });
    expect(await first!.byKey("api", "r", "192.0.2.1").unblock()).toBe(true);
  });

  it("decide several requests at once, all or nothing, in one message", async () => {
    const file = fileOf({ client: { by: "ip", quota: "3/1d" }, key: { by: "header.x-api-key", rate: "9/1h" } });
    const [first, second] = fleetOf(file);
    const both = [{ facts: ANN }, { facts: BOB, cost: 2 }];
    await first!.consumeAll("api", both);
    await second!.peek("api", ANN);
    expect(await inUse.redis.callsOf(() => second!.consumeAll("api", both))).toBe(1);
    const { decision, parts } = await second!.consumeAll("api", [both[0]!, both[0]!, both[0]!]);
    expect(decision).toMatchObject({ allowed: false, limiter: "api/client" });
    expect(parts.map(({ allowed }) => allowed)).toEqual([false, false, false]);
    // Bob has one left.
    const [ann, bob] = (await first!.consumeAll("api", [{ facts: ANN }, { facts: BOB }])).parts;
    expect([ann?.limitRemaining, bob?.limitRemaining]).toEqual([1, 0]);
    expect((await first!.peek("api", { header: { "x-api-key": "k-1" } }, 0)).limiter).toBe("api/key");
    await Promise.all([first!.close(), second!.close()]);
  });
});
