import { describe, expect, it } from "vitest";
import { SCRIPT_SHA } from "../../../../src/stores/redis/script/source.ts";
import { eventuallyTrue } from "../servers/eventually.ts";
import type { TcpProxy } from "../servers/start-proxy.ts";
import { type CallRecord, type Landing, landing } from "./kit/call-record.ts";
import { countOf, miscounted, nameOf } from "./kit/count.ts";
import { causesOf, overAdmitted } from "./kit/findings.ts";
import { TIGHT } from "./kit/limits.ts";
import { onAServer } from "./kit/on-a-server.ts";
import { itIsBack, itIsGone, itStandsThrough } from "./kit/outage-tests.ts";
import type { Told } from "./kit/stage.ts";
import { type Outage, pass } from "./kit/traffic-run.ts";

const GONE_MS = 800;
/** Long enough for probes, and to see that it stays. */
const AFTERWARDS_MS = 1_300;
const SLOW = ["timed out", "circuit open"];
const LOST = [...SLOW, "connection lost", "connection refused", "not connected"];
const TIGHT_KEY = nameOf("tight", "one");

const now = (): number => performance.now();

/** Something that the proxies do for a while. */
function outage(begin: (proxy: TcpProxy) => void, end: (proxy: TcpProxy) => Promise<void>) {
  return async ({ proxies }: { readonly proxies: readonly TcpProxy[] }): Promise<Outage> => {
    const beginMs = now();
    for (const proxy of proxies) begin(proxy);
    const fromMs = now();
    await pass(GONE_MS);
    const untilMs = now();
    await Promise.all(proxies.map(end));
    const backMs = now();
    await pass(AFTERWARDS_MS);
    return { beginMs, fromMs, untilMs, backMs };
  };
}

function itCountsExactly(told: () => Told<unknown>, landed: (call: CallRecord) => Landing): void {
  it("has counted what it got, once", () => {
    const { run, used } = told();
    expect(miscounted(countOf(run.calls, landed), used)).toEqual([]);
    expect(overAdmitted(run)).toEqual([]);
    expect(used.get(TIGHT_KEY)).toBe(TIGHT);
  });
}

/** Where no connection is lost and nothing is kept for ever, whatever was sent arrives. */
function sentIsCounted(call: CallRecord): Landing {
  return call.degraded === "timed out" && call.limiter === "single" ? "yes" : landing(call);
}

/** Of what was given up while there was no way to the server, nothing is sent afterwards that counts. */
function givenUpIsVoid({ fromMs, untilMs }: Outage) {
  return (call: CallRecord): Landing => {
    const { lane, startedMs, endedMs, degraded } = call;
    const isGivenUp = startedMs >= fromMs && endedMs <= untilMs && degraded !== undefined;
    return isGivenUp && !lane.includes("glide") ? "no" : landing(call);
  };
}

describe("answers that take longer than anybody waits", () => {
  const told = onAServer(
    { by: "proxies" },
    outage(
      (proxy) => proxy.delay(150),
      (proxy) => proxy.pass(),
    ),
  );
  itStandsThrough(() => told().run, SLOW);
  itIsGone(() => told().run);
  itIsBack(() => told().run);
  itCountsExactly(told, sentIsCounted);
});

describe("answers that now come in time and now do not", () => {
  const told = onAServer({ by: "proxies" }, async ({ proxies }) => {
    for (let times = 0; times < 32; times += 1) {
      for (const proxy of proxies) proxy.delay(20 + ((times * 7) % 13) * 10, 20 + ((times * 5) % 11) * 10);
      await pass(50);
    }
    await Promise.all(proxies.map((proxy) => proxy.pass()));
    await pass(AFTERWARDS_MS);
  });
  itStandsThrough(() => told().run, SLOW);
  itCountsExactly(told, sentIsCounted);

  it("are waited for no longer than the timeout, and used when they are in time", () => {
    const slow = told().run.calls.filter(({ startedMs, endedMs }) => endedMs - startedMs > 100);
    expect(slow.filter(({ degraded }) => degraded === undefined).length).toBeGreaterThan(20);
    expect(causesOf(slow).get("timed out")).toBeGreaterThan(20);
  });
});

describe("connections that are cut, and refused for a while", () => {
  const told = onAServer(
    { by: "proxies" },
    outage(
      (proxy) => proxy.cut(),
      (proxy) => proxy.pass(),
    ),
  );
  itStandsThrough(() => told().run, LOST);
  itIsGone(() => told().run);
  itIsBack(() => told().run);
  itCountsExactly(told, (call) => givenUpIsVoid(told().run.result)(call));
});

describe("connections that are half open: the server hears, and is not heard until later", () => {
  const told = onAServer(
    { by: "proxies" },
    outage(
      (proxy) => proxy.halfOpen(),
      (proxy) => proxy.release(),
    ),
  );
  itStandsThrough(() => told().run, SLOW);
  itIsGone(() => told().run);
  itIsBack(() => told().run);
  itCountsExactly(told, sentIsCounted);
});

describe("a black hole that lets everything out in the end", () => {
  const told = onAServer(
    { by: "proxies" },
    outage(
      (proxy) => proxy.blackHole(),
      (proxy) => proxy.release(),
    ),
  );
  itStandsThrough(() => told().run, SLOW);
  itIsGone(() => told().run);
  itIsBack(() => told().run);
  itCountsExactly(told, sentIsCounted);
});

describe("a black hole that lets nothing out, and ends by resetting its connections", () => {
  const told = onAServer(
    { by: "proxies" },
    outage(
      (proxy) => proxy.blackHole(),
      (proxy) => proxy.pass("drop"),
    ),
  );
  itStandsThrough(() => told().run, LOST);
  itIsGone(() => told().run);
  itIsBack(() => told().run);
  // What ioredis had under way it sends again when it is connected again.
  itCountsExactly(told, (call) => givenUpIsVoid(told().run.result)(call));
});

describe("answers that are lost with their connections, after the server has done what was asked", () => {
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

  it("are not asked for again, by any client", () => {
    const { run, used } = told();
    expect(run.result).toEqual([8, 8, 8, 8]);
    for (const { name, calls } of run.lanes) {
      const lost = calls.filter(({ limiter, degraded }) => limiter === "single" && degraded !== undefined);
      const counts = lost.map(({ key }) => used.get(nameOf("single", key)));
      expect([name, Math.max(...counts.map(Number))]).toEqual([name, 1]);
    }
  });
});
