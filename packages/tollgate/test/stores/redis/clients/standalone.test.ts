import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RUN } from "../../../../src/stores/redis/clients/cancel-flag.ts";
import { clientFailure } from "../../../../src/stores/redis/clients/client-failure.ts";
import { findPort } from "../../../../src/stores/redis/clients/find-port.ts";
import type { RedisPort } from "../../../../src/stores/redis/clients/redis-port.ts";
import { ofFile } from "../../../of-file.ts";
import { startRedis } from "../servers/start-redis.ts";
import { COUNTING_SCRIPT, callOf, scriptOf } from "./kit/counting-script.ts";
import { type ConnectedClient, EVERY_CLIENT, OLDER_CLIENTS } from "./kit/every-client.ts";
import { allOf } from "./kit/port-results.ts";

const redis = await ofFile(startRedis());

/** The number of calls by SHA-1, and by text. */
async function asked(): Promise<readonly [bySha: number, byText: number]> {
  const stats = await redis.info("commandstats");
  const [bySha, byText] = ["evalsha", "eval"].map((name) => {
    return Number(/^calls=(\d+)/.exec(stats.get(`cmdstat_${name}`) ?? "")?.[1] ?? 0);
  });
  return [bySha!, byText!];
}

describe.each([...EVERY_CLIENT, ...OLDER_CLIENTS])("the port of $name", ({ connect, name }) => {
  let connected: ConnectedClient;
  let port: RedisPort;
  beforeEach(async () => {
    await redis.command("FLUSHALL");
    await redis.command("SCRIPT", "FLUSH");
    await redis.command("CONFIG", "RESETSTAT");
    connected = await connect(redis);
    port = findPort(connected.client, COUNTING_SCRIPT);
  });
  afterEach(async () => connected.close());

  it("the port has its name and kind", () => {
    expect(port).toMatchObject({ name: name.replace(/ \d$/, "").replace("iovalkey", "ioredis"), cluster: false });
    expect(port.connected).toBe(true);
  });

  it("the port runs the script by SHA-1, and sends the text if the server does not know it", async () => {
    expect(await port.run(callOf(["a"]))).toEqual([1, 0]);
    expect(await asked()).toEqual([1, 1]);
    expect(await port.run(callOf(["a", "b"], ["x", "", "é"]))).toEqual([2, 1, 3]);
    expect(await asked()).toEqual([2, 1]);
    await redis.command("SCRIPT", "FLUSH");
    expect(await port.run(callOf(["a"]))).toEqual([3, 0]);
    expect(await asked()).toEqual([3, 2]);
  });

  it("a cancelled call does nothing", async () => {
    const call = callOf(["a"]);
    call.cancelFlag.cancel();
    expect(await port.run(call)).toEqual([]);
    expect(await redis.command("EXISTS", "a")).toBe(0);
  });

  it("scan finds exactly the keys with the prefix, whatever characters that has", async () => {
    const prefix = String.raw`a*b[c]?\d:`;
    const keys = [`${prefix}1`, `${prefix}2`, prefix];
    for (const key of [...keys, "aXbcx\\d:1", "a*b", String.raw`ba*b[c]?\d:1`]) await redis.command("SET", key, "1");
    expect(await allOf(port.scan(prefix))).toEqual([...keys].sort());
    expect(await allOf(port.scan("none"))).toEqual([]);
  });

  it("scan finds many keys in portions", async () => {
    const keys = Array.from({ length: 2_500 }, (_, i) => `many:${String(i).padStart(4, "0")}`);
    await redis.command("MSET", ...keys.flatMap((key) => [key, "1"]));
    await redis.command("SET", "other", "1");
    expect(await allOf(port.scan("many:"))).toEqual(keys);
  });

  it("only whole numbers up to 2^53, and texts of greater ones, are valid replies", async () => {
    // redis 5 and 6 round larger numbers.
    const largest = Number.MAX_SAFE_INTEGER - 100;
    const numbers = findPort(connected.client, scriptOf(`return {0, -1, ${largest}, -${largest}}`));
    expect(await numbers.run(callOf(["a"]))).toEqual([0, -1, largest, -largest]);
    expect(await findPort(connected.client, scriptOf("return 1")).run(callOf(["a"]))).toEqual([1]);
    // Texts are read, too: their doubles are exact.
    const texts = findPort(connected.client, scriptOf("return {1, '36028797018963968'}"));
    expect(await texts.run(callOf(["a"]))).toEqual([1, 2 ** 55]);
    for (const refused of ["return 'x'", "return {'x'}", "return {{1}}", "return {9007199254740992}"]) {
      const refusing = findPort(connected.client, scriptOf(refused));
      await expect(refusing.run(callOf(["a"]))).rejects.toMatchObject({ code: "ERR_STORE" });
    }
  });

  it.each([
    "LOADING Redis is loading the dataset in memory",
    "MOVED 1 10.1.2.3:6379",
    "ERR max number of clients reached",
  ])("the reply %j means that the server is unavailable", async (answer) => {
    const failing = findPort(connected.client, scriptOf(`return redis.error_reply("${answer}")`));
    const call = callOf(["a"]);
    const error: unknown = await failing.run(call).catch((thrown: unknown) => thrown);
    expect(clientFailure(error)).toMatchObject({ kind: "unavailable" });
    expect(JSON.stringify(clientFailure(error))).not.toContain("10.1.2.3");
    expect(call.cancelFlag.text).not.toEqual(RUN);
  });
});
