import { Redis } from "ioredis";
import { createLimiter, perDay } from "tollgate";
import { expect, it, onTestFinished } from "vitest";
import { openStore } from "./kit/use-redis.ts";
import { startProxyHere, startRedisHere } from "./servers/test-servers.ts";

const CLOSED = { code: "ERR_STORE", message: /got a call after close/ };

async function startLimiter() {
  const proxy = await startProxyHere(await startRedisHere());
  const client = new Redis(proxy.port, { retryStrategy: () => 20 });
  client.on("error", () => {});
  onTestFinished(() => client.disconnect());
  const store = openStore(client, { onFailure: "allow" });
  const limiter = createLimiter({ name: "api", limits: [perDay(10_000)], store });
  await limiter.allow("warm");
  return { proxy, client, store, limiter };
}

it("every verb of a closed store rejects", async () => {
  const { store, limiter } = await startLimiter();
  const handle = limiter.handle("ann");
  await store.close();
  const verbs = [
    () => limiter.allow("ann"),
    () => limiter.consume("ann"),
    () => limiter.allowMany(["ann"], new Uint8Array(1)),
    () => limiter.peek("ann"),
    () => limiter.explain("ann"),
    () => limiter.charge("ann", 1),
    () => limiter.refund("ann", 1),
    () => limiter.reset("ann"),
    () => limiter.clear(),
    () => limiter.sweep(),
    () => limiter.size(),
    () => handle.allow(),
  ];
  for (const verb of verbs) {
    await expect(verb()).rejects.toMatchObject({ code: CLOSED.code, message: expect.stringMatching(CLOSED.message) });
  }
  store.bypass = true;
  await expect(limiter.consume("ann")).rejects.toMatchObject({ code: CLOSED.code });
});

it("close() waits for the calls in flight, and is idempotent", async () => {
  const { proxy, client, store, limiter } = await startLimiter();
  proxy.delay(30);
  const decisions = Array.from({ length: 600 }, (_, i) => limiter.consume(`key-${i % 300}`));
  const order: string[] = [];
  const closed = Promise.all([store.close(), store.close()]).then(() => order.push("closed"));
  const decided = await Promise.all(decisions);
  order.push("decided");
  expect(decided.every(({ allowed, degraded }) => allowed && degraded === undefined)).toBe(true);
  await closed;
  expect(order).toEqual(["decided", "closed"]);
  expect(client.listenerCount("close")).toBe(0);
});

it("calls in flight at close() count once, even if the client sends them again after a lost connection", async () => {
  const { proxy, client, store, limiter } = await startLimiter();
  proxy.halfOpen();
  const decisions = Array.from({ length: 100 }, () => limiter.charge("ann", 1));
  const closed = store.close();
  await new Promise((resolve) => setTimeout(resolve, 50));
  proxy.resetAll();
  await proxy.pass("drop");
  await Promise.all([...decisions, closed]);
  await client.ping();
  const [name] = await client.keys("*:api:*:{ann}");
  const reader = openStore(client, { prefix: name!.split(":")[0]! });
  const same = createLimiter({ name: "api", limits: [perDay(10_000)], store: reader });
  expect((await same.peek("ann", 0)).remaining).toBe(10_000 - 100);
});
