import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, credentials } from "@grpc/grpc-js";
import { percentile } from "../harness/measuring.ts";
import { type RateLimitAnswer, rateLimitCodec, SHOULD_RATE_LIMIT } from "./rate-limit-codec.ts";

export interface SteadyLoad {
  readonly port: number;
  readonly grpcPort: number;
  readonly checksPerSecond: number;
  readonly callsPerSecond: number;
  readonly seconds: number;
  /** Checks name one of so many rules, by chance. */
  readonly rules: number;
}

/** The latencies of a stream, over both protocols. */
export type SteadyFigures = {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p999Ms: number;
  readonly worstMs: number;
  readonly above50Ms: number;
};

const SLOW_MS = 50;
/** The code of the load itself becomes fast meanwhile. These requests do not count. */
const WARM_UP_SECONDS = 1;
const OK = 1;

/**
 * Sends requests at a steady rate, however long the answers take: a stall of the server delays all that come meanwhile.
 *
 * @throws Error when a request is not admitted.
 */
export async function loadSteadily(load: SteadyLoad): Promise<SteadyFigures> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const client = new Client(`127.0.0.1:${load.grpcPort}`, credentials.createInsecure());
  const check = checkerOf(load, agent);
  const call = callerOf(client);
  const kinds = [
    { send: check, perSecond: load.checksPerSecond },
    { send: call, perSecond: load.callsPerSecond },
  ];
  await streams(kinds, WARM_UP_SECONDS);
  const ascending = Float64Array.from(await streams(kinds, load.seconds)).sort();
  agent.destroy();
  client.close();
  return {
    requests: ascending.length,
    p50Ms: percentile(ascending, 0.5),
    p999Ms: percentile(ascending, 0.999),
    worstMs: percentile(ascending, 1),
    above50Ms: ascending.filter((ms) => ms > SLOW_MS).length,
  };
}

interface Kind {
  readonly send: () => Promise<void>;
  readonly perSecond: number;
}

async function streams(kinds: readonly Kind[], seconds: number): Promise<readonly number[]> {
  return (await Promise.all(kinds.map((kind) => stream(kind, seconds)))).flat();
}

/** @returns the time that each request took, in milliseconds. */
async function stream({ send, perSecond }: Kind, seconds: number): Promise<readonly number[]> {
  const latenciesMs: Promise<number>[] = [];
  const begunMs = performance.now();
  for (let sent = 0; sent < perSecond * seconds; sent += 1) {
    const dueMs = begunMs + (sent * 1_000) / perSecond;
    const leftMs = dueMs - performance.now();
    if (leftMs > 0) await sleep(leftMs);
    latenciesMs.push(timed(send));
  }
  return Promise.all(latenciesMs);
}

async function timed(send: () => Promise<void>): Promise<number> {
  const sentMs = performance.now();
  await send();
  return performance.now() - sentMs;
}

function checkerOf({ port, rules }: SteadyLoad, agent: Agent): Kind["send"] {
  return () =>
    new Promise((resolve, reject) => {
      const headers = {
        "X-Forwarded-Method": "GET",
        "X-Forwarded-Uri": `/v1/x${Math.floor(Math.random() * rules)}/a/b`,
        "X-Forwarded-For": "192.0.2.7",
      };
      const asked = request({ host: "127.0.0.1", port, path: "/check", agent, headers }, (response) => {
        const { statusCode } = response;
        response.resume().once("end", () => {
          if (statusCode === 200) resolve();
          else reject(new Error(`expected a check to be admitted, got ${statusCode}`));
        });
      });
      asked.once("error", reject).end();
    });
}

function callerOf(client: Client): Kind["send"] {
  const codec = rateLimitCodec();
  const body = codec.encodeRequest({
    domain: "edge",
    descriptors: [{ entries: [{ key: "remote_address", value: "192.0.2.7" }] }],
  });
  const pass = (): Buffer => body;
  return () =>
    new Promise((resolve, reject) => {
      const end = (error: Error | null, answer?: RateLimitAnswer): void => {
        if (error === null && answer?.overallCode === OK) resolve();
        else reject(error ?? new Error("expected a call to be admitted"));
      };
      client.makeUnaryRequest(SHOULD_RATE_LIMIT, pass, codec.decodeAnswer, {}, end);
    });
}
