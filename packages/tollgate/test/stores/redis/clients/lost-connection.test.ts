import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { findPort } from "../../../../src/stores/redis/clients/find-port.ts";
import type { RedisPort, ScriptCall } from "../../../../src/stores/redis/clients/redis-port.ts";
import { ofFile } from "../../../of-file.ts";
import { eventually, eventuallyTrue } from "../servers/eventually.ts";
import { startProxy } from "../servers/start-proxy.ts";
import { startRedis } from "../servers/start-redis.ts";
import { COUNTING_SCRIPT, callOf } from "./kit/counting-script.ts";
import { type ConnectedClient, EVERY_CLIENT, OLDER_CLIENTS } from "./kit/every-client.ts";
import { didNothingOrUnavailable, outcome } from "./kit/port-results.ts";

/** Longer than any client waits before it reconnects, and than Glide waits for a connection. */
const LONG_MS = 400;

async function longEnough(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LONG_MS));
}

const redis = await ofFile(startRedis());
const proxy = await ofFile(startProxy(redis));

async function countOf(key: string): Promise<number> {
  return Number(await redis.command("GET", key));
}

describe.each([...EVERY_CLIENT, ...OLDER_CLIENTS])("calls of $name in flight", ({ connect, name }) => {
  const isGlide = name.includes("glide");
  let connected: ConnectedClient;
  let port: RedisPort;
  beforeEach(async () => {
    await redis.command("FLUSHALL");
    await proxy.pass("drop");
    connected = await connect(proxy);
    port = findPort(connected.client, COUNTING_SCRIPT);
    await eventually("an answer", async () => port.run(callOf(["warm"])));
  });
  afterEach(async () => connected.close());

  /** Cancels all these calls on a lost connection, as the store does. */
  function runUntilLost(calls: readonly ScriptCall[]): Promise<unknown>[] {
    const stop = port.onLost(() => {
      for (const { cancelFlag } of calls) cancelFlag.cancel();
    });
    onTestFinished(stop);
    return calls.map(async (call) => outcome(port.run(call)));
  }

  async function backAgain(): Promise<void> {
    await eventually("an answer", async () => port.run(callOf(["back"])));
  }

  it("a call whose reply is lost has run once", async () => {
    proxy.cutAfterRequest({ containing: COUNTING_SCRIPT.sha });
    const [came] = await Promise.all(runUntilLost([callOf(["a"])]));
    expect(came).toSatisfy(didNothingOrUnavailable);
    await backAgain();
    expect(await countOf("a")).toBe(1);
  });

  it("a call that was cancelled while it waited for a connection does nothing", async () => {
    proxy.cut();
    await eventuallyTrue("the client to notice", () => !port.connected || isGlide);
    if (isGlide) await longEnough();
    const call = callOf(["a"]);
    const came = outcome(port.run(call));
    // Glide sends its own copy of the flag, but drops the call after its requestTimeout.
    if (isGlide) await longEnough();
    else call.cancelFlag.cancel();
    await proxy.pass();
    await backAgain();
    expect(await came).toSatisfy(didNothingOrUnavailable);
    expect(await countOf("a")).toBe(0);
  });

  it("a call that waited for a connection runs once", async () => {
    proxy.cut();
    await eventuallyTrue("the client to notice", () => !port.connected || isGlide);
    const came = outcome(port.run(callOf(["a"])));
    await proxy.pass();
    const seen = await came;
    await backAgain();
    // Glide may have noticed the lost connection only now.
    if (isGlide && didNothingOrUnavailable(seen)) expect(await countOf("a")).toBeLessThanOrEqual(1);
    else expect([seen, await countOf("a")]).toEqual([[1, 0], 1]);
  });

  it("a call that was delayed, cancelled and lost with its connection does nothing", async () => {
    proxy.hold();
    const { requestBytes } = proxy.counters;
    const call = callOf(["a"]);
    const came = outcome(port.run(call));
    await eventuallyTrue("the proxy to have it", () => proxy.counters.requestBytes > requestBytes);
    call.cancelFlag.cancel();
    await proxy.pass("drop");
    expect(await came).toSatisfy(didNothingOrUnavailable);
    await backAgain();
    expect(await countOf("a")).toBe(0);
  });
});
