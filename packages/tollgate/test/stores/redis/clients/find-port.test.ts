import { Redis } from "ioredis";
import { createClient } from "redis";
import { describe, expect, it, onTestFinished } from "vitest";
import { findPort } from "../../../../src/stores/redis/clients/find-port.ts";
import { COUNTING_SCRIPT } from "./kit/counting-script.ts";

const EXPECTED = "client: expected a client of ioredis, redis, iovalkey, @valkey/valkey-glide or @upstash/redis, got ";

describe("findPort", () => {
  it.each([
    [undefined, "undefined"],
    [null, "null"],
    ["redis://127.0.0.1", '"redis://127.0.0.1"'],
    [{}, "an object"],
    [{ evalsha: true, eval: true, scan: true, unlink: true }, "an object"],
    [() => {}, "a function"],
    // redis 2, with callbacks.
    [{ evalsha() {}, eval() {}, scan() {}, unlink() {}, on() {} }, "an object"],
  ])("findPort throws for %s", (client, shown) => {
    expect(() => findPort(client, COUNTING_SCRIPT)).toThrow(EXPECTED + shown);
  });

  it("findPort recognises clients with minified class names", () => {
    const client = new Redis({ lazyConnect: true });
    onTestFinished(() => client.disconnect());
    const shrunk = [
      [class a extends Redis {}, "ioredis"],
      [Object.assign(Object.create(createClient()) as object, {}), "redis"],
    ] as const;
    const [Shrunk] = shrunk[0];
    const renamed = new Shrunk({ lazyConnect: true });
    onTestFinished(() => renamed.disconnect());
    expect(renamed.constructor.name).toBe("a");
    expect(findPort(renamed, COUNTING_SCRIPT).name).toBe("ioredis");
    expect(findPort(shrunk[1][0], COUNTING_SCRIPT).name).toBe("redis");
  });
});
