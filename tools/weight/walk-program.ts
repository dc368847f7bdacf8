/**
 * Counts the functions of the library that V8 calls in one warm call of each kind, and prints them by file. Takes a
 * part of a kind's name. It runs compiled, one file a module: `npm run walk`.
 */
import { once } from "node:events";
import { Agent, get } from "node:http";
import { Session } from "node:inspector/promises";
import type { AddressInfo } from "node:net";
import express from "express";
import { Redis } from "ioredis-5";
import { createLimiter, perMinute, perSecond } from "tollgate";
import { createLimits } from "tollgate/config";
import { rateLimit } from "tollgate/express";
import { hybridStore } from "tollgate/hybrid";
import { redisStore } from "tollgate/redis";
import { LimitsDecider } from "../../packages/server/src/envoy/limits-decider.ts";
import { startRedis } from "../../packages/tollgate/test/stores/redis/servers/start-redis.ts";

type Call = (i: number) => unknown;
/** Makes a call, and what ends it. */
type Kind = () => Promise<{ readonly call: Call; readonly close?: () => unknown }>;

/** The cache of recent keys takes no key before 64 calls, and no key of fewer than five characters. */
const WARM_CALLS = 200;
const KEY = "192.0.2.1";
const CALLS = 9;
const limits = [perMinute(100_000)];

const KINDS: Readonly<Record<string, Kind>> = {
  "allow, a key in use": async () => {
    const limiter = createLimiter({ name: "walk", limits });
    return { call: () => limiter.allow(KEY) };
  },
  "allow, a new key": async () => {
    const limiter = createLimiter({ name: "walk", limits });
    return { call: (i) => limiter.allow(`client ${i}`) };
  },
  "consume under two limits": async () => {
    const limiter = createLimiter({ name: "walk", limits: [perSecond(1_000), perMinute(100_000)] });
    return { call: () => limiter.consume(KEY) };
  },
  "a request of express": async () => {
    const app = express();
    const limiter = createLimiter({ name: "walk", key: () => KEY, limits });
    app.use(rateLimit({ limiter }), (_, response) => void response.end());
    const server = app.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const agent = new Agent({ keepAlive: true });
    const call = () =>
      new Promise((resolve) => get({ port, agent }, (response) => response.resume().once("close", resolve)));
    return { call, close: () => [agent.destroy(), server.close()] };
  },
  "a lone consume over Redis": async () => {
    const server = await startRedis();
    const client = new Redis(server.port);
    const limiter = createLimiter({ name: "walk", limits, store: redisStore({ client }) });
    return { call: () => limiter.consume(KEY), close: async () => [await client.quit(), await server.stop()] };
  },
  "a leased consume": async () => {
    const server = await startRedis();
    const redis = new Redis(server.port);
    const store = hybridStore({ client: redis });
    const limiter = createLimiter({ name: "walk", limits, store });
    const close = async () => [await store.close(), await redis.quit(), await server.stop()];
    return { call: () => limiter.consume(KEY), close };
  },
  "a descriptor of Envoy under a limits file": async () => {
    const walked = createLimits({
      version: 1,
      domains: { walk: { limits: { calls: { by: "descriptor.client", rate: "100000/1m" } } } },
    });
    const decider = new LimitsDecider(walked);
    const descriptors = [{ entries: [{ key: "client", value: KEY }], isNegativeHits: false }];
    const call = () => decider.decide({ domain: "walk", descriptors, hitsAddend: 0 });
    return { call, close: () => walked.close() };
  },
};

const session = new Session();
session.connect();

/** A function, with the path of its file below `src`, and how often it was called. */
interface Called {
  readonly file: string;
  readonly name: string;
  readonly count: number;
}

const callsOf = (called: readonly Called[]) => called.reduce((sum, { count }) => sum + count, 0);

/** What was called since the last time. */
async function takeCalled(): Promise<readonly Called[]> {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const all = result.flatMap(({ url, functions }) => {
    const file = /\/packages\/(?:tollgate|server)\/src\/(.+)\.js$/.exec(url)?.[1];
    if (file === undefined) return [];
    return functions.map(({ functionName: name, ranges }) => ({ file, name, count: ranges[0]?.count ?? 0 }));
  });
  return all.filter(({ count }) => count > 0);
}

async function walk(name: string, kind: Kind): Promise<void> {
  const { call, close } = await kind();
  const ways: (readonly Called[])[] = [];
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  for (let i = 0; i < WARM_CALLS + CALLS; i += 1) {
    await call(i);
    const called = await takeCalled();
    if (i >= WARM_CALLS) ways.push(called);
  }
  await session.post("Profiler.stopPreciseCoverage");
  await close?.();

  // The shortest one does no work that is due now and then, such as a step of a sweep.
  const [way = []] = ways.toSorted((one, other) => callsOf(one) - callsOf(other));
  const files = [...new Set(way.map(({ file }) => file))].sort();
  console.log(`\n${name}: ${callsOf(way)} calls in ${files.length} files`);
  for (const file of files) {
    const functions = way.filter((called) => called.file === file);
    const texts = functions.map(
      ({ name: own, count }) => (own === "" ? "(unnamed)" : own) + (count > 1 ? ` × ${count}` : ""),
    );
    console.log(`  ${file}: ${texts.join(", ")}`);
  }
}

await session.post("Profiler.enable");
const only = process.argv[2] ?? "";
for (const [name, kind] of Object.entries(KINDS)) {
  if (!name.includes(only)) continue;
  await walk(name, kind).catch((error: unknown) => console.log(`\n${name}: left out, ${String(error)}`));
}
process.exit();
