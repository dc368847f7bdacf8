import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { findPort } from "../../../../src/stores/redis/clients/find-port.ts";
import type { RedisPort, ScriptCall } from "../../../../src/stores/redis/clients/redis-port.ts";
import { ofFile } from "../../../of-file.ts";
import { eventually, eventuallyTrue } from "../servers/eventually.ts";
import { startCluster } from "../servers/start-cluster.ts";
import type { TcpProxy } from "../servers/start-proxy.ts";
import { proxiesOfFile } from "../servers/test-servers.ts";
import { COUNTING_SCRIPT, callOf } from "./kit/counting-script.ts";
import { type ConnectedClient, EVERY_CLIENT, OLDER_CLIENTS } from "./kit/every-client.ts";
import { didNothingOrUnavailable, outcome } from "./kit/port-results.ts";

/** Longer than Glide's requestTimeout. */
const LONG_MS = 400;

const cluster = await ofFile(startCluster({ primaries: 3, replicas: 0 }));
const { proxies, detours } = await proxiesOfFile(cluster.nodes);

async function proxyOf(key: string): Promise<TcpProxy> {
  return proxies.get((await cluster.primaryOf(key)).port)!;
}

async function countOf(key: string): Promise<number> {
  return Number(await (await cluster.primaryOf(key)).command("GET", key));
}

describe.each([...EVERY_CLIENT, ...OLDER_CLIENTS])("the port of a cluster client of $name", (testClient) => {
  const isGlide = testClient.name.includes("glide");
  let connected: ConnectedClient;
  let port: RedisPort;
  beforeEach(async () => {
    for (const node of cluster.nodes) await node.command("FLUSHALL");
    for (const proxy of proxies.values()) await proxy.pass("drop");
    connected = await testClient.connectCluster(cluster.addresses, detours);
    port = findPort(connected.client, COUNTING_SCRIPT);
    for (const key of ["a", "b", "c", "d"]) {
      await eventually("an answer", async () => port.run(callOf([`warm:${key}`])));
    }
  });
  afterEach(async () => connected.close());

  /** Cancels all these calls on a lost connection, as the store does. */
  function runUntilLost(...calls: readonly ScriptCall[]): Promise<unknown>[] {
    const stop = port.onLost(() => {
      for (const { cancelFlag } of calls) cancelFlag.cancel();
    });
    onTestFinished(stop);
    return calls.map(async (call) => outcome(port.run(call)));
  }

  it("each call runs on the node of its first key", async () => {
    for (const node of cluster.nodes) await node.command("SCRIPT", "FLUSH");
    const keys = Array.from({ length: 30 }, (_, i) => `key${i}`);
    expect(await Promise.all(keys.map(async (key) => port.run(callOf([key]))))).toEqual(keys.map(() => [1, 0]));
    expect(await port.run(callOf(["{tag}1", "{tag}2", "{tag}1"]))).toEqual([1, 1, 2, 0]);
    expect(await countOf("key29")).toBe(1);
  });

  it("each call runs once while its slot migrates", async () => {
    const slot = await cluster.slotOf("moving");
    const from = await cluster.primaryOf(slot);
    const to = cluster.nodes.find((node) => node !== from)!;
    const counts = [await port.run(callOf(["moving"]))];
    const move = await cluster.beginMove(slot, from.port, to.port);
    // The old node serves the existing key, the new node serves new ones.
    counts.push(await port.run(callOf(["moving"])));
    expect(await port.run(callOf(["{moving}new"]))).toEqual([1, 0]);
    await move.finish();
    counts.push(await port.run(callOf(["moving"])), await port.run(callOf(["moving"])));
    expect(counts).toEqual([
      [1, 0],
      [2, 0],
      [3, 0],
      [4, 0],
    ]);
    expect(await port.run(callOf(["{moving}new"]))).toEqual([2, 0]);
  });

  it("a call whose reply is lost has run once", async () => {
    const proxy = await proxyOf("cut");
    proxy.cutAfterRequest({ containing: COUNTING_SCRIPT.sha });
    const [came] = await Promise.all(runUntilLost(callOf(["cut"])));
    expect(came).toSatisfy(didNothingOrUnavailable);
    await eventually("an answer", async () => port.run(callOf(["{cut}back"])));
    expect(await countOf("cut")).toBe(1);
  });

  it("a call that was cancelled while it waited for a connection does nothing", async () => {
    for (const proxy of proxies.values()) proxy.cut();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const calls = ["q1", "q2", "q3", "q4"].map((key) => callOf([key]));
    const came = Promise.all(runUntilLost(...calls));
    if (isGlide) await new Promise((resolve) => setTimeout(resolve, LONG_MS));
    else for (const { cancelFlag } of calls) cancelFlag.cancel();
    for (const proxy of proxies.values()) await proxy.pass();
    for (const one of await came) expect(one).toSatisfy(didNothingOrUnavailable);
    await eventuallyTrue("all primaries", async () => {
      await Promise.all(calls.map(async ({ keys: [key] }) => port.run(callOf([`{${key}}back`]))));
      return true;
    });
    expect(await Promise.all(calls.map(async ({ keys: [key] }) => countOf(key!)))).toEqual([0, 0, 0, 0]);
  });
});
