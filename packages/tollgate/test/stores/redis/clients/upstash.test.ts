import { Redis } from "@upstash/redis";
import { beforeEach, describe, expect, it } from "vitest";
import { RUN } from "../../../../src/stores/redis/clients/cancel-flag.ts";
import { clientFailure } from "../../../../src/stores/redis/clients/client-failure.ts";
import { findPort } from "../../../../src/stores/redis/clients/find-port.ts";
import type { RedisPort } from "../../../../src/stores/redis/clients/redis-port.ts";
import { ofFile } from "../../../of-file.ts";
import { startRedis } from "../servers/start-redis.ts";
import { COUNTING_SCRIPT, callOf } from "./kit/counting-script.ts";
import { allOf } from "./kit/port-results.ts";
import { UpstashServer } from "./upstash-server.ts";

const redis = await ofFile(startRedis());
const upstash = await ofFile(UpstashServer.start(redis));
beforeEach(async () => {
  upstash.dropReplies(false);
  await redis.command("FLUSHALL");
  await redis.command("SCRIPT", "FLUSH");
});

function client(options: object = {}): Redis {
  return new Redis({ url: upstash.url, token: upstash.token, retry: { retries: 0 }, ...options });
}

describe.each([
  ["alone", { enableAutoPipelining: false }],
  ["in pipelines", { enableAutoPipelining: true }],
  ["alone, replies as they came", { enableAutoPipelining: false, automaticDeserialization: false }],
])("the port of @upstash/redis, calls %s", (_how, options) => {
  let port: RedisPort;
  beforeEach(() => {
    port = findPort(client(options), COUNTING_SCRIPT);
  });

  it("the port has its name and kind", () => {
    expect(port).toMatchObject({ name: "@upstash/redis", cluster: false, connected: true });
  });

  it("the port runs the script by SHA-1, and sends the text if the server does not know it", async () => {
    const before = upstash.requests;
    expect(await port.run(callOf(["a", "b"], ["x", "é", ""]))).toEqual([1, 1, 3]);
    expect(upstash.requests - before).toBe(2);
    expect(await port.run(callOf(["a"]))).toEqual([2, 0]);
    expect(upstash.requests - before).toBe(3);
  });

  it("a cancelled call does nothing", async () => {
    const call = callOf(["a"]);
    call.cancelFlag.cancel();
    expect(await port.run(call)).toEqual([]);
    expect(await redis.command("EXISTS", "a")).toBe(0);
  });

  it.each(["plain", "ключ 鍵 🗝", "\u0000\r\n", "123", "1e3", "true", "null", '{"a":1}', "[a-z]*?\\", "x".repeat(256)])(
    "a call runs with the key %j, which is found",
    async (key) => {
      expect(await port.run(callOf([key]))).toEqual([1, 0]);
      expect(await redis.command("GET", key)).toBe("1");
      await redis.command("SET", "other", "1");
      expect(await allOf(port.scan(key))).toEqual([key]);
    },
  );

  it("a call whose reply is lost has run once", async () => {
    await port.run(callOf(["warm"]));
    upstash.dropReplies(true);
    const call = callOf(["a"]);
    const error: unknown = await port.run(call).catch((thrown: unknown) => thrown);
    expect(clientFailure(error)).toMatchObject({ kind: "unavailable" });
    expect(call.cancelFlag.text).not.toEqual(RUN);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await redis.command("GET", "a")).toBe("1");
  });
});

describe("a client of @upstash/redis", () => {
  it.each([undefined, false, { retries: 1 }])("a client with retries throws: retry %j", (retry) => {
    expect(() => findPort(client({ retry }), COUNTING_SCRIPT)).toThrow(
      "client: expected one of @upstash/redis with retry: { retries: 0 }, which sends nothing twice, got one that tries again",
    );
  });

  it("failures of the client have different causes", async () => {
    const meaningOf = async (options: object): Promise<unknown> =>
      findPort(client(options), COUNTING_SCRIPT)
        .run(callOf(["a"]))
        .catch((error: unknown) => clientFailure(error));
    expect(await meaningOf({ token: "wrong" })).toEqual({ kind: "fault" });
    expect(await meaningOf({ url: "http://127.0.0.1:1" })).toEqual({ kind: "unavailable", cause: "connection failed" });
    expect(await meaningOf({ signal: () => AbortSignal.abort() })).toMatchObject({ kind: "unavailable" });
  });
});
