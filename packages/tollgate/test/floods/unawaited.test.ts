import { describe, expect, it } from "vitest";
import { ofFile } from "../of-file.ts";
import { UpstashServer } from "../stores/redis/clients/upstash-server.ts";
import { startRedis } from "../stores/redis/servers/start-redis.ts";
import { callInAProcess } from "./kit/call-in-processes.ts";
import { ALGORITHMS, CLIENTS, LIMIT } from "./kit/flood.ts";

/** The calls of one turn of the event loop. */
const CALLS = 10_000;

const redis = await ofFile(startRedis());
const upstash = await ofFile(UpstashServer.start(redis));

describe("10,000 calls of consume in one turn, made without waiting for answers,", () => {
  const cases = CLIENTS.map((client, i) => [client, ALGORITHMS[i % ALGORITHMS.length]!] as const);
  it.for(cases)("are admitted exactly the limit, by Redis: %s, %s", async ([client, algorithm]) => {
    await redis.command("FLUSHALL");
    const { url, token } = upstash;
    const findings = await callInAProcess({
      ...{ client, algorithm, port: redis.port, upstash: { url, token } },
      ...{ policy: "allow", capacity: LIMIT, verb: "consume", start: "warm", clients: 1, calls: CALLS, keys: 1 },
    });
    const { admitted, degraded, thrown, opened } = findings;
    expect({ admitted, degraded, thrown, opened }).toEqual({ admitted: LIMIT, degraded: 0, thrown: 0, opened: 0 });
  });
});
