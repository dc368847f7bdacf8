import { Redis } from "ioredis";
import { type AsyncLimiter, combine, createLimiter, perDay } from "tollgate";
import { redisStore } from "tollgate/redis";
import { describe, expect, it } from "vitest";
import type { RedisServer } from "../servers/redis-server.ts";
import { type CallRecord, landing } from "./kit/call-record.ts";
import { countOf, miscounted, nameOf } from "./kit/count.ts";
import { admittedByServer, causesOf, overAdmitted } from "./kit/findings.ts";
import type { Fleet } from "./kit/fleet.ts";
import { itIsBack, itIsGone, itStandsThrough } from "./kit/incident-tests.ts";
import { TIGHT } from "./kit/limits.ts";
import { onAServer } from "./kit/on-a-server.ts";
import { type Incident, pass } from "./kit/traffic-run.ts";

/** Covers several probes, and shows that the state is stable. */
const AFTERWARDS_MS = 1_300;
const GONE = ["connection refused", "connection lost", "not connected", "timed out", "circuit open"];
const TIGHT_KEY = nameOf("tight", "one");

const now = (): number => performance.now();

/** A combination of two limiters over its own client. */
async function twoLimits({ port }: RedisServer): Promise<readonly [AsyncLimiter, Redis]> {
  const client = new Redis(port);
  await client.ping();
  const store = redisStore({ client, timeout: "1s", onFailure: "deny" });
  const [user, route] = ["user", "route"].map((name) => createLimiter({ name, limits: [perDay(10)], store }));
  return [combine(user!, route!), client];
}

async function killAndRestart(
  { server }: { readonly server: RedisServer },
  fleet: Fleet,
  data: "kept" | "lost",
): Promise<Incident> {
  const beginMs = now();
  await server.kill();
  const fromMs = now();
  await pass(1_000);
  await fleet.circuitsOpened();
  const untilMs = now();
  await server.restart(data);
  const backMs = now();
  await pass(AFTERWARDS_MS);
  return { beginMs, fromMs, untilMs, backMs };
}

describe("a server that is killed and restarted with its data", () => {
  const told = onAServer({ args: ["--appendonly", "yes", "--appendfsync", "always"] }, (scene, fleet) =>
    killAndRestart(scene, fleet, "kept"),
  );
  itStandsThrough(() => told().run, GONE);
  itIsGone(() => told().run);
  itIsBack(() => told().run);

  it("the restarted server counted nothing twice, and lost nothing", () => {
    const { run, used } = told();
    expect(miscounted(countOf(run.calls), used)).toEqual([]);
    expect(overAdmitted(run)).toEqual([]);
    expect(used.get(TIGHT_KEY)).toBe(TIGHT);
  });
});

describe("a server that is killed and restarted without its data", () => {
  const told = onAServer({}, (scene, fleet) => killAndRestart(scene, fleet, "lost"));
  itStandsThrough(() => told().run, GONE);
  itIsGone(() => told().run);
  itIsBack(() => told().run);

  it("the restarted server admits more by what it lost, and not one unit more", () => {
    const { run, used } = told();
    const { beginMs, fromMs, untilMs } = run.result;
    const isBefore = ({ endedMs, degraded }: CallRecord): boolean =>
      endedMs <= beginMs || (degraded === undefined && endedMs <= fromMs);
    // Clients that queue calls until they are connected send them cancelled.
    const hasTimedOut = ({ lane, degraded, endedMs }: CallRecord): boolean =>
      !lane.includes("glide") && degraded !== undefined && endedMs <= untilMs;
    const landedAfter = (call: CallRecord) => (isBefore(call) || hasTimedOut(call) ? "no" : landing(call));
    expect(miscounted(countOf(run.calls, landedAfter), used)).toEqual([]);
    const before = run.calls.filter(isBefore);
    expect(overAdmitted(run, (limiter) => admittedByServer(before, limiter))).toEqual([]);
    expect(used.get(TIGHT_KEY)).toBe(TIGHT);
  });
});

describe("a server whose scripts are flushed ten times a second", () => {
  const told = onAServer({ timeoutMs: 30_000 }, async ({ server }) => {
    let refused = 0;
    // On a busy machine no client may call between two flushes.
    for (let times = 0; times < 12 || refused < 10; times += 1) {
      await pass(100);
      await server.command("SCRIPT", "FLUSH", "SYNC");
      const error = (await server.info("errorstats")).get("errorstat_NOSCRIPT");
      refused = Number(/count=(\d+)/.exec(error ?? "")?.[1] ?? 0);
    }
  });
  // Glide has a timeout of its own, which a busy machine exceeds.
  itStandsThrough(() => told().run, ["timed out", "circuit open"]);

  it("the clients send the script again, and every call is decided once", () => {
    const { run, used } = told();
    expect(miscounted(countOf(run.calls), used)).toEqual([]);
    expect(used.get(TIGHT_KEY)).toBe(TIGHT);
    expect(overAdmitted(run)).toEqual([]);
  });
});

describe("a server that is out of memory", () => {
  const told = onAServer({ maxmemory: "64mb" }, async ({ server }) => {
    const [two, client] = await twoLimits(server);
    const beginMs = now();
    // Less than the server uses, as if it were full.
    await server.command("CONFIG", "SET", "maxmemory", "1");
    const fromMs = now();
    const degradedCall = await two.consume("ann").catch((error: unknown) => error);
    await pass(1_000);
    const untilMs = now();
    await server.command("CONFIG", "SET", "maxmemory", "64mb");
    const backMs = now();
    await pass(AFTERWARDS_MS);
    const used = (await two.explain("ann")).map((report) => report.used);
    client.disconnect();
    return { beginMs, fromMs, untilMs, backMs, degradedCall, used };
  });
  itStandsThrough(() => told().run, ["the server is out of memory", "circuit open"]);
  itIsBack(() => told().run);

  it("the full server takes nothing, and no part of a call", () => {
    const { run, used } = told();
    const { fromMs, untilMs, degradedCall } = run.result;
    const meanwhile = run.calls.filter(({ startedMs, endedMs }) => startedMs >= fromMs && endedMs <= untilMs);
    expect(meanwhile.filter((call) => landing(call) === "yes" && call.verb !== "refund")).toEqual([]);
    expect(causesOf(meanwhile).get("the server is out of memory")).toBeGreaterThan(10);
    expect(degradedCall).toMatchObject({ allowed: false, degraded: "the server is out of memory" });
    expect(run.result.used).toEqual([0, 0]);
    expect(miscounted(countOf(run.calls), used)).toEqual([]);
    expect(overAdmitted(run)).toEqual([]);
    expect(used.get(TIGHT_KEY)).toBe(TIGHT);
  });
});
