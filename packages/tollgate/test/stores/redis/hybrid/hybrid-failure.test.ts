import { Redis } from "ioredis";
import { perHour } from "tollgate";
import { describe, expect, it, onTestFinished } from "vitest";
import { freshPrefix } from "../kit/use-redis.ts";
import { eventuallyTrue } from "../servers/eventually.ts";
import { startRedis } from "../servers/start-redis.ts";
import { allowTimes, openNode } from "./kit/use-hybrid.ts";

async function start(args: readonly string[] = []) {
  const server = await startRedis({ args });
  const client = new Redis(server.port, { retryStrategy: () => 20, maxRetriesPerRequest: 0 });
  client.on("error", () => {});
  onTestFinished(async () => {
    client.disconnect();
    await server.stop();
  });
  return { server, client };
}

describe("while the server is gone", () => {
  it("a node spends what it holds, then onFailure decides", async () => {
    const { server, client } = await start();
    const options = { prefix: freshPrefix(), timeout: "100ms" } as const;
    const node = openNode({ client }, [perHour(10_000)], options);
    await allowTimes(node, 200);
    const { leased, spent } = node.store.stats();
    await server.stop();
    const held = leased - spent;
    expect(held).toBeGreaterThan(10);
    expect(await allowTimes(node, held)).toBe(held);
    expect(await node.limiter.consume("ann")).toMatchObject({ allowed: false, degraded: expect.any(String) });
  });

  it("a server that is back with its data counts each unit once, and nodes take leases again", async () => {
    const { server, client } = await start(["--appendonly", "yes", "--appendfsync", "always"]);
    const options = { prefix: freshPrefix(), timeout: "100ms" } as const;
    const node = openNode({ client }, [perHour(1_000)], options);
    let admitted = await allowTimes(node, 200);
    await server.kill();
    admitted += await allowTimes(node, 100);
    await server.restart("kept");
    await eventuallyTrue(
      "a decision by the server",
      async () => (await node.limiter.peek("ann")).degraded === undefined,
    );
    const { asks } = node.store.stats();
    admitted += await allowTimes(node, 300);
    expect(node.store.stats().asks - asks).toBeLessThan(50);
    expect(admitted).toBeGreaterThan(500);
    expect((await node.limiter.explain("ann"))[0]?.used).toBe(admitted);
  });

  it("a server out of memory denies an exhausted key to nodes that know nothing of it, though onFailure allows", async () => {
    const { server, client } = await start();
    const options = { prefix: freshPrefix(), onFailure: "allow" } as const;
    const exhausting = openNode({ client }, [perHour(50)], options);
    expect(await allowTimes(exhausting, 60)).toBe(50);
    await server.command("CONFIG", "SET", "maxmemory", "1");
    const others = [openNode({ client }, [perHour(50)], options), openNode({ client }, [perHour(50)], options)];
    for (const other of others) expect(await allowTimes(other, 40)).toBe(0);
    // A new key needs a write.
    expect(await others[0]!.limiter.consume("bob")).toMatchObject({ degraded: "the server is out of memory" });
  });

  it("calls that wait get the failure policy's decision", async () => {
    const { server, client } = await start();
    const options = { prefix: freshPrefix(), timeout: "100ms", onFailure: "allow" } as const;
    const node = openNode({ client }, [perHour(10_000)], options);
    await node.limiter.allow("ann");
    await server.stop();
    const decisions = await Promise.all(Array.from({ length: 20 }, () => node.limiter.consume("ann")));
    expect(decisions.every(({ allowed, degraded }) => allowed && degraded !== undefined)).toBe(true);
  });
});
