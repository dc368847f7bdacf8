import { createLimiter, perDay, TollgateError } from "tollgate";
import { redisStore } from "tollgate/redis";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { ofFile } from "../of-file.ts";
import { startProxy, type TcpProxy } from "../stores/redis/servers/start-proxy.ts";
import { startRedis } from "../stores/redis/servers/start-redis.ts";
import { CLIENTS } from "./kit/flood.ts";
import { closeClient, loadClient } from "./kit/open-client.ts";

const TURNS = 6;
const CALLS_OF_A_TURN = 100;
const CALLS = TURNS * CALLS_OF_A_TURN;
/** Longer than clients wait before they connect again, and than Glide waits for a connection. */
const LONG_ENOUGH_MS = 500;

let proxy: TcpProxy;
const redis = await ofFile(startRedis());
beforeEach(async () => {
  await redis.command("FLUSHALL");
  proxy = await startProxy(redis);
  onTestFinished(() => proxy.stop());
});

describe.each(CLIENTS.filter((client) => client !== "upstash"))("a closed store over %s", (name) => {
  async function openLimiter() {
    const open = await loadClient(name);
    const { client, connected } = await open(proxy);
    await connected;
    const store = redisStore({ client });
    onTestFinished(() => closeClient(client));
    const limiter = createLimiter({ name: "api", limits: [perDay(10 * CALLS)], store });
    await limiter.allow("warm");
    return { store, limiter };
  }

  it("counts no call twice and ends every call if the connection breaks after the close", async () => {
    const { store, limiter } = await openLimiter();
    const { limiter: aside } = await openLimiter();
    proxy.halfOpen();
    const calls: Promise<unknown>[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (let call = 0; call < CALLS_OF_A_TURN; call += 1) calls.push(limiter.consume("ann"));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await store.close();
    proxy.resetAll();
    await proxy.pass("drop");
    const ended = await Promise.allSettled(calls);
    expect(ended.filter(({ status }) => status === "rejected")).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, LONG_ENOUGH_MS));
    const [report] = await aside.explain("ann");
    expect(report!.used).toBeLessThanOrEqual(CALLS);
  });

  it("throws on every call", async () => {
    const { store, limiter } = await openLimiter();
    await store.close();
    await expect(limiter.consume("ann")).rejects.toThrow(TollgateError);
    await expect(limiter.allow("ann")).rejects.toThrow(TollgateError);
  });
});
