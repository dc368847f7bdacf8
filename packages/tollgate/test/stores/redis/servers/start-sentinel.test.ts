import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RawConnection } from "./raw-connection.ts";
import { type RedisSentinel, startSentinel } from "./start-sentinel.ts";

let sentinel: RedisSentinel;
let tookMs: number;

beforeAll(async () => {
  const startedMs = performance.now();
  sentinel = await startSentinel();
  tookMs = performance.now() - startedMs;
});
afterAll(async () => {
  await sentinel.stop();
});

describe("startSentinel", () => {
  it("Sentinels start soon, and all name the primary", async () => {
    expect(tookMs).toBeLessThan(6_000);
    expect(sentinel.addresses).toHaveLength(3);
    expect(await sentinel.primary()).toBe(sentinel.servers[0]);
  });

  it("Sentinels replace a killed primary by its replica", async () => {
    const [primary, replica] = sentinel.servers;
    const connection = await RawConnection.open(primary!.port);
    expect(await Promise.all([connection.call("SET", "a", 1), connection.call("WAIT", 1, 500)])).toEqual(["OK", 1]);
    expect(await sentinel.killPrimary()).toBe(primary);
    expect(await sentinel.waitForFailover()).toBe(replica);
    expect(await replica?.command("INCR", "a")).toBe(2);
    connection.close();
  });
});
