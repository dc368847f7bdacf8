import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { findPort } from "../../../../src/stores/redis/clients/find-port.ts";
import type { RedisPort } from "../../../../src/stores/redis/clients/redis-port.ts";
import { ofFile } from "../../../of-file.ts";
import { eventually } from "../servers/eventually.ts";
import { startSentinel } from "../servers/start-sentinel.ts";
import { proxiesOfFile } from "../servers/test-servers.ts";
import { COUNTING_SCRIPT, callOf } from "./kit/counting-script.ts";
import { EVERY_CLIENT, OLDER_CLIENTS } from "./kit/every-client.ts";
import { allOf, didNothingOrUnavailable, outcome } from "./kit/port-results.ts";

const all = await ofFile(startSentinel());
const { proxies, detours } = await proxiesOfFile(all.servers);

const CLIENTS = [...EVERY_CLIENT, ...OLDER_CLIENTS].flatMap(({ name, connectSentinel }) =>
  connectSentinel === undefined ? [] : [{ name, connectSentinel }],
);

/** A connected client until the test ends. */
async function portOf(connect: (typeof CLIENTS)[number]["connectSentinel"]): Promise<RedisPort> {
  const { client, close } = await connect(all.addresses, all.name, detours);
  onTestFinished(close);
  const port = findPort(client, COUNTING_SCRIPT);
  await eventually("an answer", async () => port.run(callOf(["warm"])));
  return port;
}

describe.each(CLIENTS)("the port of $name with Sentinels", ({ name, connectSentinel }) => {
  let port: RedisPort;
  beforeEach(async () => {
    await (await all.primary()).command("FLUSHALL");
    port = await portOf(connectSentinel);
  });

  async function countOf(key: string): Promise<number> {
    return Number(await (await all.primary()).command("GET", key));
  }

  it("calls run, and keys are found", async () => {
    expect(port).toMatchObject({ cluster: false, connected: true });
    await (await all.primary()).command("SCRIPT", "FLUSH");
    expect(await port.run(callOf(["a", "b"], ["x"]))).toEqual([1, 1, 1]);
    expect(await allOf(port.scan(""))).toEqual(["a", "b", "warm"]);
  });

  it("a call whose reply is lost has run once", async () => {
    proxies.get((await all.primary()).port)!.cutAfterRequest({ containing: COUNTING_SCRIPT.sha });
    const call = callOf(["cut"]);
    onTestFinished(port.onLost(() => call.cancelFlag.cancel()));
    const came = await outcome(port.run(call));
    expect(came).toSatisfy(didNothingOrUnavailable);
    // This client resends silently; the others notify before.
    if (name.startsWith("redis")) expect(came).toMatchObject({ kind: "unavailable" });
    await eventually("an answer", async () => port.run(callOf(["back"])));
    expect(await countOf("cut")).toBe(1);
  });
});

// This client takes five seconds, and the other clients share its code.
describe.each(CLIENTS.filter(({ name }) => ["ioredis", "redis"].includes(name)))("$name", ({ connectSentinel }) => {
  it("calls reach the new primary after a failover", async () => {
    const port = await portOf(connectSentinel);
    const old = await all.killPrimary();
    const next = await all.waitForFailover();
    await eventually("an answer", async () => {
      const call = callOf(["after"]);
      const patience = setTimeout(() => call.cancelFlag.cancel(), 100);
      const reply = await port.run(call).finally(() => clearTimeout(patience));
      return reply.length === 0 ? undefined : reply;
    });
    expect(await next.command("EXISTS", "after")).toBe(1);
    await old.restart();
    await all.waitForOk();
  });
});
