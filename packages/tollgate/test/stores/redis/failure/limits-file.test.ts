import { Redis } from "ioredis";
import type { Decision } from "tollgate";
import { createLimits, type LimitsFile } from "tollgate/config";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStore } from "../kit/use-redis.ts";
import { eventuallyTrue } from "../servers/eventually.ts";
import { startRedisHere } from "../servers/test-servers.ts";

const FILE: LimitsFile = {
  version: 1,
  onFailure: "deny",
  domains: {
    api: {
      limits: {
        login: { match: { path: "/login" }, by: "ip", quota: "4/1d" },
        search: { match: { path: "/search" }, by: "ip", quota: "4/1d", onFailure: "allow" },
        items: { match: { path: "/items" }, by: "ip", quota: "4/1d", onFailure: "local" },
      },
    },
    edge: { onFailure: { nodes: 4 }, limits: { all: { by: "ip", rate: "8/1d" } } },
  },
};

const at = (path: string) => ({ ip: "192.0.2.1", path });

describe("the failure policies of a limits file", () => {
  it("decide while a server is killed, and give way when it is back", async () => {
    const server = await startRedisHere();
    const client = new Redis({ port: server.port, retryStrategy: () => 20 });
    client.on("error", () => {});
    onTestFinished(() => client.disconnect());
    const limits = createLimits(FILE, { store: openStore(client, { timeout: "100ms" }) });
    onTestFinished(() => limits.close());
    expect(await limits.consume("api", at("/login"))).toMatchObject({ allowed: true, remaining: 3 });

    await server.kill();
    await eventuallyTrue("a decision without the server", async () => {
      return (await limits.peek("api", at("/login"))).degraded !== undefined;
    });
    const ask = async (path: string, count: number) => {
      const decisions: Decision[] = [];
      while (decisions.length < count) decisions.push(await limits.consume("api", at(path)));
      return decisions.map(({ allowed }) => allowed).filter(Boolean).length;
    };
    expect([await ask("/login", 2), await ask("/search", 9), await ask("/items", 9)]).toEqual([0, 9, 4]);
    expect(await limits.consume("api", at("/login"))).toMatchObject({
      reason: "store-unavailable",
      degraded: expect.any(String),
    });
    const asOneOfFour = await limits.consume("edge", at("/"), 2);
    expect([asOneOfFour.allowed, asOneOfFour.remaining]).toEqual([true, 0]);
    expect((await limits.consume("edge", at("/"))).allowed).toBe(false);
    // A reload keeps what is counted here, and another policy holds at once.
    limits.update({ ...FILE, onFailure: "allow" });
    expect([await ask("/login", 9), await ask("/items", 1)]).toEqual([9, 0]);

    await server.restart();
    await eventuallyTrue("a decision by the server", async () => {
      return (await limits.peek("api", at("/items"))).degraded === undefined;
    });
    expect((await limits.consume("api", at("/items"))).allowed).toBe(true);
  });
});
