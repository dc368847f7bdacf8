import type { RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import express from "express";
import type { Cost, Limiter } from "tollgate";
import { createLimits, type Facts, type Limits, type LimitsFile, type RuleWords } from "tollgate/config";
import { rateLimit as inFrontOfExpress } from "tollgate/express";
import { rateLimit as inFrontOfFetch } from "tollgate/fetch";
import { rateLimit as inFrontOfNode, type Outcome } from "tollgate/node";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { send } from "../adapters/suite/client.ts";
import { urlOf } from "../adapters/suite/node-server.ts";
import { until } from "../adapters/suite/until.ts";

const START_MS = Date.UTC(2026, 0, 15, 12);

interface Options {
  readonly limiter: Limiter<Facts>;
  readonly settle?: true;
  readonly chargeAfter?: (request: unknown, outcome: Outcome) => Cost;
}

const text = "hello";

/** A server that answers 200, or `/status/N` with N, behind each adapter. */
const FRAMEWORKS: readonly [string, (options: Options) => RequestListener | Promise<RequestListener>][] = [
  [
    "express",
    (options) => {
      const app = express();
      app.use(inFrontOfExpress(options));
      app.use((request, response) => void response.status(statusOf(request.originalUrl)).send(text));
      return app;
    },
  ],
  [
    "fetch",
    (options) =>
      getRequestListener(
        inFrontOfFetch({ ...options, remoteAddress: () => "127.0.0.1" })(
          async (request: Request) => new Response(text, { status: statusOf(request.url) }),
        ),
      ),
  ],
  [
    "node",
    (options) =>
      inFrontOfNode(options)((request, response) => {
        response.statusCode = statusOf(request.url ?? "/");
        response.end(text);
      }),
  ],
];

function statusOf(url: string): number {
  return Number(/\/status\/(\d+)/.exec(url)?.[1] ?? 200);
}

const FILE: LimitsFile = {
  version: 1,
  domains: {
    api: {
      limits: {
        client: { by: "ip", quota: "20/1d" },
        login: { match: { method: "POST", path: "/login" }, by: ["ip", "query.user"], within: "2/15m" },
        heavy: { match: { path: "/heavy" }, by: "header.x-api-key", quota: "10/1d", cost: "header.x-cost" },
      },
    },
  },
};

describe.each(FRAMEWORKS)("the limiter of a domain in front of %s", (_name, listen) => {
  async function start(options: Omit<Options, "limiter"> = {}, file = FILE): Promise<{ limits: Limits; url: string }> {
    const limits = createLimits(file, { clock: manualClock(START_MS), trustProxy: "loopback" });
    return { limits, url: await urlOf(await listen({ limiter: limits.limiter("api"), ...options })) };
  }
  const from = (ip: string, more: Record<string, string> = {}) => ({ "x-forwarded-for": ip, ...more });
  const login = (url: string, ip: string, user: string) =>
    send(`${url}/login?user=${user}`, { method: "POST", headers: from(ip) });

  it("counts a request by its method, path, query and client", async () => {
    const { limits, url } = await start();
    expect((await login(url, "192.0.2.1", "ann")).status).toBe(200);
    expect((await login(url, "192.0.2.1", "ann")).headers["ratelimit"]).toContain('"login.within";r=0');
    const denied = await login(url, "192.0.2.1", "ann");
    expect([denied.status, denied.headers["retry-after"]]).toEqual([429, "900"]);
    expect(denied.headers["ratelimit-policy"]).toContain('"client.quota";q=20');
    expect((await login(url, "192.0.2.1", "bob")).status).toBe(200);
    expect((await login(url, "192.0.2.2", "ann")).status).toBe(200);
    expect(limits.peek("api", { ip: "192.0.2.1" }, 0).remaining).toBe(17);
  });

  it("settles under the rules and the costs of the request", async () => {
    const { limits, url } = await start({ chargeAfter: (_, { status }) => (status === 500 ? { requests: 3 } : 0) });
    const heavy = (path: string) =>
      send(`${url}${path}`, { headers: from("192.0.2.1", { "x-api-key": "k-1", "x-cost": "4" }) });
    const used = (path: string) =>
      limits
        .limiter("api")
        .explain({ ip: "192.0.2.1", path, header: { "x-api-key": "k-1" } })
        .map((status) => status.used)
        .join(" ");
    expect((await heavy("/heavy")).headers["ratelimit"]).toContain('"heavy.quota";r=6');
    await until(() => used("/heavy") === "0 0", "the response has ended");
    const { client, heavy: rule } = FILE.domains["api"]!.limits as { client: RuleWords; heavy: RuleWords };
    const moved = { ...rule, match: { path: "/status/500" } };
    limits.update({ version: 1, domains: { api: { limits: { client, heavy: moved } } } });
    expect((await heavy("/status/500")).status).toBe(500);
    await until(() => used("/status/500") === "3 3", "the response has ended");
  });

  it("holds a place until the response has ended, and follows the file", async () => {
    const quotaOf = (quota: `${number}/1d`): LimitsFile => ({
      version: 1,
      domains: { api: { limits: { all: { quota } } } },
    });
    const { limits, url } = await start({}, quotaOf("1/1d"));
    const statuses = async () => [(await send(`${url}/job`)).status, (await send(`${url}/job`)).status];
    expect(await statuses()).toEqual([200, 429]);
    const job = { path: "/job" };
    limits.update({
      version: 1,
      domains: { api: { limits: { job: { match: { path: "/**" }, inflight: { max: 1, ttl: "1m" } } } } },
    });
    const held = limits.reserve("api", job);
    expect(await statuses()).toEqual([429, 429]);
    held.cancel();
    expect((await send(`${url}/job`)).status).toBe(200);
    await until(() => limits.peek("api", job).allowed, "the response has ended");
    limits.update(quotaOf("2/1d"));
    expect(await statuses()).toEqual([200, 429]);
  });
});

describe("maxWait in front of a domain", () => {
  it("lets a request wait until all rules that match it allow it", async () => {
    const clock = manualClock(START_MS);
    const rules = { key: { by: "header.x-api-key", rate: "1/1s" }, all: { rate: "3/1s" } } as const;
    const limits = createLimits({ version: 1, domains: { api: { limits: rules } } }, { clock });
    const handle = inFrontOfFetch({ limiter: limits.limiter("api"), maxWait: "2s" })(() => new Response(text));
    const ask = () => handle(new Request("http://here.example/", { headers: { "x-api-key": "ann" } }));
    const [first, second, third, fourth] = [ask(), ask(), ask(), ask()];
    expect([(await first).status, (await fourth).status]).toEqual([200, 429]);
    clock.advance(2_000);
    expect([(await second).status, (await third).status]).toEqual([200, 200]);
  });
});
