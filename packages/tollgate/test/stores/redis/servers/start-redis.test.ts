import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { waitForLink } from "./replication.ts";
import { startRedis } from "./start-redis.ts";
import { connectHere, startRedisHere } from "./test-servers.ts";

describe("startRedis", () => {
  it("a server starts soon, with its own folder and port, and writes nothing to disk", async () => {
    const startedMs = performance.now();
    const redis = await startRedisHere();
    expect(performance.now() - startedMs).toBeLessThan(1_000);
    expect(redis.port).not.toBe(6379);
    expect(await redis.command("CONFIG", "GET", "save")).toEqual(["save", ""]);
    expect(await redis.command("CONFIG", "GET", "appendonly")).toEqual(["appendonly", "no"]);
    expect(await redis.command("CONFIG", "GET", "dir")).toEqual(["dir", redis.folder]);
  });

  it("the connection decodes all types of replies", async () => {
    const redis = await startRedisHere();
    expect(await redis.command("SET", "kéy", Buffer.from("välue"))).toBe("OK");
    expect(await redis.command("GET", "kéy")).toBe("välue");
    expect(await redis.command("GET", "none")).toBeNull();
    expect(await redis.command("INCRBY", "count", 12)).toBe(12);
    expect(await redis.command("EVAL", "return {1, {'two', false}, ''}", 0)).toEqual([1, ["two", null], ""]);
    await expect(redis.command("GET")).rejects.toThrow("ERR wrong number of arguments for 'get' command");
    const long = "x".repeat(1_000_000);
    expect(await redis.command("ECHO", long)).toBe(long);
  });

  it("stop removes a running, paused or killed server with its folder", async () => {
    const [running, paused, killed] = await Promise.all([startRedisHere(), startRedisHere(), startRedisHere()]);
    paused.pause();
    await killed.kill();
    for (const redis of [running, paused, killed]) {
      await redis.stop();
      expect(redis.isRunning).toBe(false);
      await expect(redis.command("PING")).rejects.toThrow("ECONNREFUSED");
      expect(existsSync(redis.folder)).toBe(false);
    }
  });

  it("a killed server restarts on the same port without its data", async () => {
    const redis = await startRedisHere();
    const connection = await connectHere(redis);
    await redis.command("SET", "a", 1);
    const { pid } = redis;
    await redis.kill();
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    await expect(connection.call("PING")).rejects.toThrow();
    await expect(redis.command("PING")).rejects.toThrow("ECONNREFUSED");

    await redis.restart();
    expect(redis.pid).not.toBe(pid);
    expect(await redis.command("GET", "a")).toBeNull();
  });

  it("a killed server can restart with its data, repeatedly", async () => {
    const redis = await startRedisHere();
    await redis.command("SET", "a", 1);
    await redis.restart("kept");
    expect(await redis.command("GET", "a")).toBe("1");
    await redis.command("SET", "b", 1);
    await redis.restart("kept");
    expect(await redis.command("MGET", "a", "b")).toEqual(["1", "1"]);
    await redis.restart("lost");
    expect(await redis.command("DBSIZE")).toBe(0);
  });

  it("an append-only file survives a kill", async () => {
    const redis = await startRedisHere({ args: ["--appendonly", "yes", "--appendfsync", "always"] });
    await redis.command("SET", "a", 1);
    await redis.kill();
    await redis.restart("kept");
    expect(await redis.command("GET", "a")).toBe("1");
  });

  it("a paused server replies to everything after it is resumed", async () => {
    const redis = await startRedisHere();
    const connection = await connectHere(redis);
    redis.pause();
    let answered = false;
    const answer = connection.call("INCR", "a").finally(() => {
      answered = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(answered).toBe(false);
    redis.resume();
    expect(await answer).toBe(1);
  });

  it("a full server rejects writes", async () => {
    const redis = await startRedisHere({ maxmemory: "2mb" });
    const write = async () => {
      for (let at = 0; at < 40; at += 1) await redis.command("SET", at, "x".repeat(100_000));
    };
    await expect(write()).rejects.toThrow("OOM command not allowed");
    expect(await redis.command("GET", "0")).not.toBeNull();
  });

  it("a replica has the writes of its primary when the link is up", async () => {
    const primary = await startRedisHere();
    const replica = await startRedisHere({ replicaOf: primary.port });
    await waitForLink(replica);
    const connection = await connectHere(primary);
    expect(await connection.call("SET", "a", 1)).toBe("OK");
    expect(await connection.call("WAIT", 1, 500)).toBe(1);
    expect(await replica.command("GET", "a")).toBe("1");
    await expect(replica.command("SET", "a", 2)).rejects.toThrow("READONLY");
  });

  it("a server that does not start fails with its reason", async () => {
    await expect(startRedis({ args: ["--no-such-option", "1"] })).rejects.toThrow(
      /^redis-server ended before it answered: .*Bad directive/s,
    );
  });
});
