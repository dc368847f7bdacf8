import { describe, expect, it } from "vitest";
import { SCRIPT_SHA } from "../../../../src/stores/redis/script/source.generated.ts";
import { eventuallyTrue } from "../servers/eventually.ts";
import type { TcpProxy } from "../servers/start-proxy.ts";
import { type CallRecord, type Landing, landing } from "./kit/call-record.ts";
import { countOf, miscounted, nameOf } from "./kit/count.ts";
import { overAdmitted } from "./kit/findings.ts";
import type { Fleet } from "./kit/fleet.ts";
import { itIsBack, itIsGone, itStandsThrough } from "./kit/incident-tests.ts";
import { TIGHT } from "./kit/limits.ts";
import { onAServer } from "./kit/on-a-server.ts";
import type { Told } from "./kit/stage.ts";
import { type Incident, pass } from "./kit/traffic-run.ts";

const GONE_MS = 800;
/** The delay of each direction: a reply takes longer than any timeout. */
const SLOW_MS = 450;
/** Covers several probes, and shows that the state is stable. */
const AFTERWARDS_MS = 1_300;
const SLOW = ["timed out", "circuit open"];
const LOST = [...SLOW, "connection lost", "connection refused", "not connected"];
const TIGHT_KEY = nameOf("tight", "one");

const now = (): number => performance.now();

/** An incident that the proxies cause for a while. */
function incident(begin: (proxy: TcpProxy) => void, end: (proxy: TcpProxy) => Promise<void>) {
  return async ({ proxies }: { readonly proxies: readonly TcpProxy[] }, fleet: Fleet): Promise<Incident> => {
    const beginMs = now();
    for (const proxy of proxies) begin(proxy);
    const fromMs = now();
    await pass(GONE_MS);
    await fleet.circuitsOpened();
    const untilMs = now();
    await Promise.all(proxies.map(end));
    const backMs = now();
    await pass(AFTERWARDS_MS);
    return { beginMs, fromMs, untilMs, backMs };
  };
}

function itCountsExactly(told: () => Told<unknown>, landed: (call: CallRecord) => Landing): void {
  it("the server counted what it received, once", () => {
    const { run, used } = told();
    expect(miscounted(countOf(run.calls, landed), used)).toEqual([]);
    expect(overAdmitted(run)).toEqual([]);
    expect(used.get(TIGHT_KEY)).toBe(TIGHT);
  });
}

/** If no connection is lost and nothing is held for ever, every sent call arrives. */
function sentIsCounted(call: CallRecord): Landing {
  return call.degraded === "timed out" && call.limiter === "single" ? "yes" : landing(call);
}

/** Calls that timed out while the server was unreachable are cancelled when they are sent. */
function timedOutIsCancelled({ fromMs, untilMs }: Incident) {
  return (call: CallRecord): Landing => {
    const { lane, startedMs, endedMs, degraded } = call;
    const hasTimedOut = startedMs >= fromMs && endedMs <= untilMs && degraded !== undefined;
    return hasTimedOut && !lane.includes("glide") ? "no" : landing(call);
  };
}

describe("replies that are slower than the timeout", () => {
  const told = onAServer(
    { by: "proxies" },
    incident(
      (proxy) => proxy.delay(SLOW_MS),
      (proxy) => proxy.pass(),
    ),
  );
  itStandsThrough(() => told().run, SLOW);
  itIsGone(() => told().run, 2 * SLOW_MS);
  itIsBack(() => told().run);
  itCountsExactly(told, sentIsCounted);
});

describe("connections that are cut, then refused for a while", () => {
  const told = onAServer(
    { by: "proxies" },
    incident(
      (proxy) => proxy.cut(),
      (proxy) => proxy.pass(),
    ),
  );
  itStandsThrough(() => told().run, LOST);
  itIsGone(() => told().run);
  itIsBack(() => told().run);
  itCountsExactly(told, (call) => timedOutIsCancelled(told().run.result)(call));
});

describe("a black hole that finally releases everything", () => {
  const told = onAServer(
    { by: "proxies" },
    incident(
      (proxy) => proxy.blackHole(),
      (proxy) => proxy.release(),
    ),
  );
  itStandsThrough(() => told().run, SLOW);
  itIsGone(() => told().run);
  itIsBack(() => told().run);
  itCountsExactly(told, sentIsCounted);
});

describe("a black hole that drops everything, and finally resets its connections", () => {
  const told = onAServer(
    { by: "proxies" },
    incident(
      (proxy) => proxy.blackHole(),
      (proxy) => proxy.pass("drop"),
    ),
  );
  itStandsThrough(() => told().run, LOST);
  itIsGone(() => told().run);
  itIsBack(() => told().run);
  // ioredis sends calls in flight again after it has reconnected.
  itCountsExactly(told, (call) => timedOutIsCancelled(told().run.result)(call));
});

describe("replies that are lost with their connections, after the server ran the calls", () => {
  const told = onAServer({ by: "proxies" }, async ({ proxies }) => {
    for (let times = 1; times <= 8; times += 1) {
      for (const proxy of proxies) proxy.cutAfterRequest({ containing: SCRIPT_SHA });
      await eventuallyTrue("the cuts", () => proxies.every(({ counters }) => counters.resets >= times));
      await pass(150);
    }
    return proxies.map(({ counters }) => counters.resets);
  });
  itStandsThrough(() => told().run, LOST);
  itCountsExactly(told, landing);

  it("no client sends a call again whose reply was lost", () => {
    const { run, used } = told();
    expect(run.result).toEqual([8, 8, 8, 8]);
    for (const { name, calls } of run.lanes) {
      const lost = calls.filter(({ limiter, degraded }) => limiter === "single" && degraded !== undefined);
      const counts = lost.map(({ key }) => used.get(nameOf("single", key)));
      expect([name, Math.max(...counts.map(Number))]).toEqual([name, 1]);
    }
  });
});
