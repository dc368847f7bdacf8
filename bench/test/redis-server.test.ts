import { describe, expect, it } from "vitest";
import { readCommandStats, readMainThreadUs } from "../redis/server/command-stats.ts";
import { RedisServer, readVersion } from "../redis/server/redis-server.ts";

const COMMAND_STATS = [
  "# Commandstats",
  "cmdstat_evalsha:calls=20,usec=95,usec_per_call=4.75,rejected_calls=1,failed_calls=2",
  "cmdstat_config|resetstat:calls=1,usec=7,usec_per_call=7.00,rejected_calls=0,failed_calls=0",
  "",
].join("\r\n");

const CPU = [
  "# CPU",
  "used_cpu_sys:10.5",
  "used_cpu_user:20.5",
  "used_cpu_sys_main_thread:1.250000",
  "used_cpu_user_main_thread:2.000001",
  "",
].join("\r\n");

describe("what the server says of its time", () => {
  it("is read for each command", () => {
    const stats = readCommandStats(COMMAND_STATS);
    expect([...stats.keys()]).toEqual(["evalsha", "config|resetstat"]);
    expect(stats.get("evalsha")).toEqual({ calls: 20, us: 95, failures: 3 });
    expect(stats.get("config|resetstat")).toEqual({ calls: 1, us: 7, failures: 0 });
  });

  it("is read for the main thread", () => {
    expect(readMainThreadUs(CPU)).toBeCloseTo(3_250_001);
    expect(() => readMainThreadUs("used_cpu_sys:10.5\r\n")).toThrow("expected a server that tells");
  });
});

describe("the server's program", () => {
  it("that is missing is an error that says what to install", async () => {
    const started = RedisServer.start("no-such-redis-server");
    await expect(started).rejects.toThrow(
      "The bench needs no-such-redis-server. Install it first: apt-get install redis",
    );
  });

  it.each([
    ["Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=ae4d7c971a948f0\n", "Redis 7.0.15"],
    ["Valkey server v=8.0.1 sha=00000000:0 malloc=libc bits=64 build=1\n", "Valkey 8.0.1"],
    ["", "Redis of unknown version"],
  ])("%j is %s", (printed, version) => {
    expect(readVersion(printed)).toBe(version);
  });
});
