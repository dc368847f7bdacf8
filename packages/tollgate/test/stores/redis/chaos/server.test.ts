import { Redis } from "ioredis";
import { type AsyncLimiter, combine, createLimiter, perDay } from "tollgate";
import { redisStore } from "tollgate/redis";
import { describe, expect, it } from "vitest";
import { eventuallyTrue } from "../servers/eventually.ts";
import type { RedisServer } from "../servers/redis-server.ts";
import { type CallRecord, landing } from "./kit/call-record.ts";
import { countOf, miscounted, nameOf } from "./kit/count.ts";
import { admittedByServer, answeredWithoutServer, causesOf, overAdmitted } from "./kit/findings.ts";
import { TIGHT } from "./kit/limits.ts";
import { onAServer } from "./kit/on-a-server.ts";
import { itIsBack, itIsGone, itStandsThrough } from "./kit/outage-tests.ts";
import { type Outage, pass } from "./kit/traffic-run.ts";

/** Long enough for probes, and to see that it stays. */
const AFTERWARDS_MS = 1_300;
const GONE = ["connection refused", "connection lost", "not connected", "timed out", "circuit open"];
const TIGHT_KEY = nameOf("tight", "one");

const now = (): number => performance.now();

/** One transaction of two keys, over a client of its own. */
async function twoLimits({ port }: RedisServer): Promise<readonly [AsyncLimiter, Redis]> {
  const client = new Redis(port);
  await client.ping();
  const store = redisStore({ client, timeoutMs: 1_000, onFailure: "deny" });
  const [user, route] = ["user", "route"].map((name) => createLimiter({ name, limits: [perDay(10)], store }));
  return [combine(user!, route!), client];
}

async function killAndRestart({ server }: { readonly server: RedisServer }, data: "kept" | "lost"): Promise<Outage> {
  const beginMs = now();
  await server.kill();
  const fromMs = now();
  await pass(1_000);
  const untilMs = now();
  await server.restart(data);
  const backMs = now();
  await pass(AFTERWARDS_MS);
  return { beginMs, fromMs, untilMs, backMs };
}

describe("a server that is killed, and started again with all that it knew", () => {
  const told = onAServer({ args: ["--appendonly", "yes", "--appendfsync", "always"] }, (scene) =>
    killAndRestart(scene, "kept"),
  );
  itStandsThrough(() => told().run, GONE);
  itIsGone(() => told().run);
  itIsBack(() => told().run);

  it("has counted nothing twice, and forgotten nothing", () => {
    const { run, used } = told();
    expect(miscounted(countOf(run.calls), used)).toEqual([]);
    expect(overAdmitted(run)).toEqual([]);
    expect(used.get(TIGHT_KEY)).toBe(TIGHT);
  });
});

describe("a server that is killed, and has forgotten everything when it is started again", () => {
  const told = onAServer({}, (scene) => killAndRestart(scene, "lost"));
  itStandsThrough(() => told().run, GONE);
  itIsGone(() => told().run);
  itIsBack(() => told().run);

  it("has admitted more by what it had admitted before, and no unit more", () => {
    const { run, used } = told();
    const { beginMs, fromMs, untilMs } = run.result;
    const isBefore = ({ endedMs, degraded }: CallRecord): boolean =>
      endedMs <= beginMs || (degraded === undefined && endedMs <= fromMs);
    // Not even late: clients that keep calls until they are connected find them void.
    const isGivenUp = ({ lane, degraded, endedMs }: CallRecord): boolean =>
      !lane.includes("glide") && degraded !== undefined && endedMs <= untilMs;
    const landedAfter = (call: CallRecord) => (isBefore(call) || isGivenUp(call) ? "no" : landing(call));
    expect(miscounted(countOf(run.calls, landedAfter), used)).toEqual([]);
    const before = run.calls.filter(isBefore);
    expect(overAdmitted(run, (limiter) => admittedByServer(before, limiter))).toEqual([]);
    expect(used.get(TIGHT_KEY)).toBe(TIGHT);
  });
});

describe("a server that stands still for five seconds", () => {
  const told = onAServer({}, async ({ server }): Promise<Outage> => {
    const beginMs = now();
    server.pause();
    await pass(5);
    const fromMs = now();
    await pass(5_000);
    const untilMs = now();
    server.resume();
    await eventuallyTrue("the server to answer", async () => (await server.command("PING")) === "PONG");
    const backMs = now();
    await pass(AFTERWARDS_MS);
    return { beginMs, fromMs, untilMs, backMs };
  });
  itStandsThrough(() => told().run, GONE);
  itIsGone(() => told().run);
  itIsBack(() => told().run);

  it("has counted nothing twice", () => {
    const { run, used } = told();
    expect(miscounted(countOf(run.calls), used)).toEqual([]);
    expect(overAdmitted(run)).toEqual([]);
    expect(used.get(TIGHT_KEY)).toBe(TIGHT);
  });
});

describe("a server that forgets its scripts, ten times a second", () => {
  const told = onAServer({ timeoutMs: 5_000 }, async ({ server }) => {
    for (let times = 0; times < 12; times += 1) {
      await pass(100);
      await server.command("SCRIPT", "FLUSH", "SYNC");
    }
    return (await server.info("errorstats")).get("errorstat_NOSCRIPT");
  });
  itStandsThrough(() => told().run, []);

  it("is told them again, and has decided everything, once", () => {
    const { run, used } = told();
    expect(run.result).toMatch(/count=\d\d/);
    expect(miscounted(countOf(run.calls), used)).toEqual([]);
    expect(used.get(TIGHT_KEY)).toBe(TIGHT);
    expect(overAdmitted(run)).toEqual([]);
  });
});

describe("a server that is out of memory", () => {
  const told = onAServer({ maxmemory: "64mb" }, async ({ server }) => {
    const [two, client] = await twoLimits(server);
    const beginMs = now();
    // Less than it has: as if it had been filled.
    await server.command("CONFIG", "SET", "maxmemory", "1");
    const fromMs = now();
    const refused = await two.consume("ann").catch((error: unknown) => error);
    await pass(1_000);
    const untilMs = now();
    await server.command("CONFIG", "SET", "maxmemory", "64mb");
    const backMs = now();
    await pass(AFTERWARDS_MS);
    const used = (await two.explain("ann")).map((report) => report.used);
    client.disconnect();
    return { beginMs, fromMs, untilMs, backMs, refused, used };
  });
  itStandsThrough(() => told().run, ["the server is out of memory", "circuit open"]);
  itIsBack(() => told().run);

  it("has taken nothing meanwhile, and no half of anything", () => {
    const { run, used } = told();
    const { fromMs, untilMs, refused } = run.result;
    const meanwhile = run.calls.filter(({ startedMs, endedMs }) => startedMs >= fromMs && endedMs <= untilMs);
    expect(meanwhile.filter((call) => landing(call) === "yes" && call.verb !== "refund")).toEqual([]);
    expect(causesOf(meanwhile).get("the server is out of memory")).toBeGreaterThan(10);
    expect(refused).toMatchObject({ allowed: false, degraded: "the server is out of memory" });
    expect(run.result.used).toEqual([0, 0]);
    expect(miscounted(countOf(run.calls), used)).toEqual([]);
    expect(overAdmitted(run)).toEqual([]);
    expect(used.get(TIGHT_KEY)).toBe(TIGHT);
  });
});

describe("the kill switch, in the middle of traffic", () => {
  const told = onAServer({}, async (_place, fleet): Promise<Outage> => {
    const beginMs = now();
    for (const { store } of fleet.lanes) store.bypass = true;
    const fromMs = now();
    await pass(1_000);
    const untilMs = now();
    for (const { store } of fleet.lanes) store.bypass = false;
    const backMs = now();
    await pass(500);
    return { beginMs, fromMs, untilMs, backMs };
  });
  itStandsThrough(() => told().run, ["bypassed"]);
  itIsBack(() => told().run);

  it("leaves the server alone while it is on, at once, and tells of it", () => {
    const { run, used } = told();
    expect(answeredWithoutServer(run)).toEqual([]);
    expect(miscounted(countOf(run.calls), used)).toEqual([]);
    for (const { heard } of run.lanes) {
      expect(heard).toEqual([
        { type: "bypass", bypass: true },
        { type: "bypass", bypass: false },
      ]);
    }
  });
});
