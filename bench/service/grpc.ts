import { Client, credentials, Server, ServerCredentials, type ServiceDefinition } from "@grpc/grpc-js";
import { runChild } from "../harness/child-process.ts";
import { spreadOf } from "../harness/figures.ts";
import type { Throughput } from "../harness/wrk.ts";

const PATH = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
/** How many calls are under way on the one connection: a proxy has one for each of its threads. */
const UNDER_WAY = 64;

const asItIs = (bytes: Buffer): Buffer => bytes;

/** Envoy's call, whose messages stay bytes. */
const SERVICE = {
  ShouldRateLimit: {
    path: PATH,
    requestStream: false,
    responseStream: false,
    requestSerialize: asItIs,
    requestDeserialize: asItIs,
    responseSerialize: asItIs,
    responseDeserialize: asItIs,
  },
} satisfies ServiceDefinition;

/** A field of a protocol buffer whose content has at most 127 bytes. */
function field(number: number, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
}

const entry = (key: string, value: string) => field(1, Buffer.concat([field(1, key), field(2, value)]));

/** The domain, and a descriptor with the facts of a request. */
const REQUEST: Buffer = Buffer.concat([
  field(1, "api"),
  field(2, Buffer.concat([entry("ip", "192.0.2.7"), entry("path", "/orders/17")])),
]);

/** Answers as many bytes as the service does, and decodes nothing. Prints its URL. */
export function serveBareGrpc({ bytes }: { readonly bytes: number }): void {
  const server = new Server();
  const answer = Buffer.alloc(bytes);
  server.addService(SERVICE, { ShouldRateLimit: (_call: unknown, done: Done) => done(null, answer) });
  server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
    if (error !== null) throw error;
    console.log(`http://127.0.0.1:${port}`);
  });
}

type Done = (error: Error | null, answer?: Buffer) => void;

interface Load {
  readonly port: number;
  readonly seconds: number;
}

/** Makes load from a process of its own. @throws Error when a call fails. */
export function generateCalls(port: number, seconds: number): Promise<Throughput> {
  const load: Load = { port, seconds };
  return runChild("grpc load", load);
}

/** How many bytes a server answers. */
export async function answerLength(port: number): Promise<number> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const { length } = await callOnce(client);
  client.close();
  return length;
}

export async function loadGrpc({ port, seconds }: Load): Promise<Throughput> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const begunMs = performance.now();
  const endMs = begunMs + seconds * 1_000;
  const times: number[] = [];
  const work = async () => {
    for (let sentMs = performance.now(); sentMs < endMs; sentMs = performance.now()) {
      await callOnce(client);
      times.push(performance.now() - sentMs);
    }
  };
  await Promise.all(Array.from({ length: UNDER_WAY }, work));
  client.close();
  const took = (performance.now() - begunMs) / 1_000;
  const sorted = times.toSorted((one, other) => one - other);
  const p99Ms = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
  return { requests: times.length, seconds: took, p50Ms: spreadOf(times).median, p99Ms };
}

function callOnce(client: Client): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(PATH, asItIs, asItIs, REQUEST, (error, answer) => {
      if (error !== null || answer === undefined) reject(error ?? new Error("grpc: expected an answer, got none"));
      else resolve(answer);
    });
  });
}
