import { describe, expect, it, vi } from "vitest";
import { grpcClient } from "../envoy/grpc-client.ts";
import { WRITER } from "../operations/operate.ts";
import { JSON_BODY } from "../support/json-body.ts";
import { limitsFile } from "../support/limits-file.ts";
import { startRedis } from "../support/redis-process.ts";
import { LOCAL_ADMIN, startWithAdmin } from "../support/test-admin.ts";
import { startTestService } from "../support/test-service.ts";

const LIMITS = `
version: 1
onFailure: deny
domains:
  api:
    limits:
      login: { match: { path: /login }, by: ip, quota: 9/1d }
      search: { match: { path: /search }, by: ip, quota: 9/1d, onFailure: allow }
      items: { match: { path: /items }, by: ip, quota: 2/1d, onFailure: local }
      user: { match: { descriptor: { user: "*" } }, by: user, quota: 2/1d, onFailure: { nodes: 2 } }
`;

describe("the service without its Redis", () => {
  it("decides by the policies of the file, and says so in responses, log and metrics", async () => {
    const redis = await startRedis();
    const file = await limitsFile(LIMITS);
    const application = {
      ...file.application,
      redis: { kind: "single", url: redis.url } as const,
    };
    const service = await startTestService({ application, grpcPort: 0, admin: LOCAL_ADMIN });
    const { url, adminUrl, log, errors } = service;
    const check = (path: string) => fetch(`${url}/check`, { headers: { "X-Forwarded-Uri": path } });
    const counted = await check("/login");
    expect([counted.status, counted.headers.get("x-ratelimit-degraded")]).toEqual([200, null]);

    await redis.kill();
    await vi.waitFor(async () => expect((await check("/search")).headers.get("x-ratelimit-degraded")).toBeTruthy(), {
      timeout: 20_000,
    });
    await vi.waitFor(
      async () => {
        await check("/search");
        expect(errors.join("\n")).toContain("redis-down");
      },
      { timeout: 20_000 },
    );
    const statuses = async (path: string) => [(await check(path)).status, (await check(path)).status];
    expect([await statuses("/login"), await statuses("/search")]).toEqual([
      [503, 503],
      [200, 200],
    ]);
    expect([await statuses("/items"), (await check("/items")).status]).toEqual([[200, 200], 429]);

    const body = JSON.stringify({ domain: "api", facts: { ip: "192.0.2.9", path: "/items" } });
    const decided = await fetch(`${url}/v1/decide`, { method: "POST", headers: JSON_BODY, body });
    expect(decided.headers.get("x-ratelimit-degraded")).toBeTruthy();
    expect(await decided.json()).toMatchObject({ allowed: true, remaining: 1, degraded: expect.any(String) });

    const client = grpcClient(service.grpcPort ?? 0);
    const [first, second] = [
      await client.shouldRateLimit("api", { user: "ann" }),
      await client.shouldRateLimit("api", { user: "ann" }),
    ];
    expect([first.overallCode, second.overallCode]).toEqual([1, 2]);
    expect(first.dynamicMetadata).toEqual({ fields: { degraded: { stringValue: expect.any(String) } } });
    expect(log.join("\n")).toMatch(/^degraded limiter=api\/login cause=/m);
    expect(log.join("\n")).toMatch(/^degraded limiter=api\/items cause=/m);
    const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
    expect(metrics).toMatch(
      /^rate_limit_acquire_total\{limiter="api\/items",limit="items.quota",result="degraded"\} 4$/m,
    );

    await redis.restart();
    await vi.waitFor(async () => expect((await check("/login")).status).toBe(200), { timeout: 20_000 });
    expect((await check("/login")).headers.get("x-ratelimit-degraded")).toBeNull();
  });

  it("answers 503 to what only it could do, by both APIs", async () => {
    const redis = await startRedis();
    const file = await limitsFile(LIMITS);
    const application = { ...file.application, redis: { kind: "single", url: redis.url } as const };
    const tokens = [{ token: WRITER, name: "ann", access: "write" }] as const;
    const { url, adminUrl } = await startWithAdmin({ application }, { tokens });
    const post = async (path: string, fields: object) => {
      const headers = { ...JSON_BODY, authorization: `Bearer ${WRITER}` };
      const response = await fetch(path, {
        method: "POST",
        headers,
        body: JSON.stringify({ domain: "api", ...fields }),
      });
      const { code, reservation } = (await response.json()) as { code?: string; reservation?: string };
      return { status: response.status, code, reservation };
    };
    const decide = (fields: object) => post(`${url}/v1/decide`, fields);
    const facts = { ip: "192.0.2.9", path: "/login" };
    const reserved: unknown[] = [];
    for (let i = 0; i < 4; i += 1) reserved.push((await decide({ verb: "reserve", facts })).reservation);
    const calls = [
      () => decide({ verb: "refund", facts, cost: 1 }),
      () => post(`${url}/v1/decide`, { domain: undefined, verb: "settle", reservation: reserved.pop(), cost: 0 }),
      () => post(`${url}/v1/decide`, { domain: undefined, verb: "cancel", reservation: reserved.pop() }),
      ...(["block", "unblock", "reset"] as const).map(
        (verb) => () => decide({ verb, facts, ...(verb === "block" && { for: "1m" }) }),
      ),
      ...(["block", "unblock", "reset", "explain"] as const).map(
        (verb) => () =>
          post(`${adminUrl}/v1/keys/${verb}`, {
            rule: "login",
            key: "192.0.2.9",
            ...(verb === "block" && { for: "1m" }),
          }),
      ),
    ];
    for (const ask of calls) expect(await ask()).toEqual({ status: 200 });
    await redis.kill();
    for (const ask of calls) expect(await ask()).toEqual({ status: 503, code: "ERR_STORE" });
  });

  it("keeps a reservation that was not settled, and gives back no unit twice", async () => {
    const redis = await startRedis();
    const file = await limitsFile(LIMITS);
    const application = { ...file.application, redis: { kind: "single", url: redis.url } as const };
    const { url } = await startTestService({ application });
    const decide = async (fields: object) => {
      const response = await fetch(`${url}/v1/decide`, {
        method: "POST",
        headers: JSON_BODY,
        body: JSON.stringify(fields),
      });
      const { reservation, remaining, error, degraded } = (await response.json()) as Readonly<Record<string, unknown>>;
      return { status: response.status, reservation, remaining, error, degraded };
    };
    const facts = { ip: "192.0.2.9", path: "/login" };
    const reserve = async () => (await decide({ verb: "reserve", domain: "api", facts, cost: 3 })).reservation;
    const settle = { verb: "settle", reservation: await reserve(), cost: 1 };
    const cancel = { verb: "cancel", reservation: await reserve() };
    const peek = () => decide({ verb: "peek", domain: "api", facts, cost: 0 });
    redis.pause();
    expect(await decide(settle)).toMatchObject({ status: 503, error: expect.stringMatching(/may have carried out/) });
    expect((await decide(settle)).status).toBe(503);
    await vi.waitFor(async () => expect((await peek()).degraded).toBe("circuit open"), { timeout: 20_000 });
    const refused = { status: 503, error: expect.stringMatching(/could not be asked: circuit open$/) };
    for (let i = 0; i < 2; i += 1) expect(await decide(cancel)).toMatchObject(refused);
    redis.resume();
    await vi.waitFor(async () => expect((await peek()).degraded).toBeUndefined(), { timeout: 20_000 });
    for (const end of [settle, cancel])
      expect([(await decide(end)).status, (await decide(end)).status]).toEqual([200, 404]);
    expect((await peek()).remaining).toBe(8);
  });

  it("waits for it as long as it is told, and no longer", async () => {
    const redis = await startRedis();
    const file = await limitsFile(LIMITS);
    const start = async (redisTimeout: "50ms" | "700ms") => {
      const application = {
        ...file.application,
        redis: { kind: "single", url: redis.url } as const,
        redisTimeout,
      };
      const { url } = await startTestService({ application });
      const check = () => fetch(`${url}/check`, { headers: { "X-Forwarded-Uri": "/search" } });
      const isCounted = async () => expect((await check()).headers.get("x-ratelimit-degraded")).toBeNull();
      await vi.waitFor(isCounted, { timeout: 20_000 });
      return check;
    };
    const [patient, hasty] = [await start("700ms"), await start("50ms")];
    redis.pause();
    const begunMs = performance.now();
    const order: string[] = [];
    const answered = async (name: string, check: () => Promise<Response>): Promise<number> => {
      const { headers } = await check();
      order.push(`${name}: ${headers.get("x-ratelimit-degraded")}`);
      return performance.now() - begunMs;
    };
    const [patientMs] = await Promise.all([answered("patient", patient), answered("hasty", hasty)]);
    expect(order).toEqual(["hasty: timed out", "patient: timed out"]);
    expect(patientMs).toBeGreaterThan(690);
  });
});
