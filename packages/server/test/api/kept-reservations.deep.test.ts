import { describe, expect, it } from "vitest";
import type { Peers } from "../../src/limits/peers.ts";
import { call } from "../support/call.ts";
import { JSON_BODY } from "../support/json-body.ts";
import { limitsFile } from "../support/limits-file.ts";
import { startRedis } from "../support/redis-process.ts";
import { startTestService } from "../support/test-service.ts";

const LIMITS = `
version: 1
trustedHeaders: [x-plan]
domains:
  api:
    limits:
      all: { quota: 90/1d }
      user: { by: header.x-user, plans: { from: header.x-plan, is: { paid: { quota: 50/1d } } }, quota: 5/1d }
      tokens: { match: { path: /chat }, quota: { tokens: 500/1d }, cost: { tokens: 40 } }
      streams: { match: { path: /chat }, inflight: { max: 1, ttl: 1h } }
  other: { limits: { all: { quota: 9/1d } } }
`;
const FACTS = { path: "/chat", header: { "x-user": "ann", "x-plan": "paid" } };
/** Another process of `--workers`, which no question reaches. */
const NO_PEERS: Peers = {
  own: "1",
  names: new Set(["1", "2"]),
  countInPrimary: true,
  ask: () => Promise.reject(new Error("a process was asked")),
  onQuestion: () => {},
};

type Answer = Readonly<Record<string, unknown>> & { readonly status: number };

/** Services of a fleet behind one Redis. */
async function startFleet(count: number) {
  const redis = await startRedis();
  const { application: file } = await limitsFile(LIMITS);
  const application = { ...file, redis: { kind: "single", url: redis.url }, redisTimeout: "20s" } as const;
  const services = await Promise.all(
    Array.from({ length: count }, () => startTestService({ application, peers: NO_PEERS })),
  );
  const decides = services.map(({ url }) => async (fields: object): Promise<Answer> => {
    const body = JSON.stringify(fields);
    const { status, body: text } = await call(`${url}/v1/decide`, { method: "POST", headers: JSON_BODY, body });
    return { ...(JSON.parse(text) as object), status: status ?? 0 };
  });
  return { redis, services, decides };
}

describe("reservations of a fleet over Redis", () => {
  it("are settled by any of its services, and after the one that made them has stopped", async () => {
    const { services, decides } = await startFleet(2);
    const [here, there] = decides;
    const { reservation, allowed } = await here!({
      verb: "reserve",
      domain: "api",
      facts: FACTS,
      cost: { requests: 9 },
    });
    expect([allowed, typeof reservation]).toEqual([true, "string"]);
    const cost = { requests: 4, tokens: 70 };
    expect((await there!({ verb: "settle", reservation, cost: { words: 1 } })).status).toBe(400);
    expect((await there!({ verb: "settle", reservation, cost: { tokens: -1 } })).status).toBe(400);
    await services[0]!.close();
    expect((await there!({ verb: "settle", reservation, cost })).status).toBe(200);
    expect((await there!({ verb: "settle", reservation, cost })).status).toBe(404);
    expect((await there!({ verb: "cancel", reservation })).status).toBe(404);
    const peek = { verb: "peek", domain: "api", facts: { ...FACTS, path: "/" }, cost: 0 };
    expect(await there!(peek)).toMatchObject({ limit: "user.quota", remaining: 46 });
    // The place is free again.
    expect(await there!({ verb: "reserve", domain: "api", facts: FACTS })).toMatchObject({ allowed: true });
  });

  it("are ended by exactly one of several calls at once", async () => {
    const { decides } = await startFleet(2);
    for (let round = 0; round < 10; round += 1) {
      const { reservation } = await decides[0]!({ verb: "reserve", domain: "other", cost: 5 });
      const ends = [
        decides[0]!({ verb: "settle", reservation, cost: 0 }),
        decides[1]!({ verb: "settle", reservation, cost: 0 }),
        decides[1]!({ verb: "cancel", reservation }),
      ];
      const statuses = (await Promise.all(ends)).map(({ status }) => status);
      expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 404, 404]);
    }
    expect(await decides[0]!({ verb: "peek", domain: "other", cost: 0 })).toMatchObject({ remaining: 9 });
  });

  it("are unknown by ids that no service has given", async () => {
    const { decides } = await startFleet(1);
    const { reservation } = await decides[0]!({ verb: "reserve", domain: "other", cost: 5 });
    const [id, domain] = String(reservation).split(".");
    const others = [`${id}.`, `${id}`, `.${domain}`, `${"a".repeat(22)}000000.${domain}`, "2.x", "x", ""];
    for (const other of [...others, `{${id}}.${domain}`, `${id}\n.${domain}`, `${"é".repeat(9_000)}.${domain}`])
      expect((await decides[0]!({ verb: "cancel", reservation: other })).status).toBe(404);
    expect((await decides[0]!({ verb: "cancel", reservation })).status).toBe(200);
  });

  it("that were decided without it are settled by the service that made them", async () => {
    const redis = await startRedis();
    const { application: file } = await limitsFile(LIMITS.replace("other: {", "other: { onFailure: local,"));
    const application = { ...file, redis: { kind: "single", url: redis.url }, redisTimeout: "200ms" } as const;
    const { url } = await startTestService({ application });
    const decide = async (fields: object): Promise<Answer> => {
      const body = JSON.stringify({ ...fields });
      const { status, body: text } = await call(`${url}/v1/decide`, { method: "POST", headers: JSON_BODY, body });
      return { ...(JSON.parse(text) as object), status: status ?? 0 };
    };
    await redis.kill();
    const reserved = await decide({ verb: "reserve", domain: "other", cost: 5 });
    expect(reserved).toMatchObject({ status: 200, allowed: true, degraded: expect.any(String) });
    const settle = { verb: "settle", reservation: reserved["reservation"], cost: 2 };
    expect([(await decide(settle)).status, (await decide(settle)).status]).toEqual([200, 404]);
  });
});
