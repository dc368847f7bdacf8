import { Client, credentials } from "@grpc/grpc-js";
import { percentile } from "../harness/measuring.ts";
import type { Throughput } from "../harness/wrk.ts";
import { type RateLimitAnswer, rateLimitCodec, SHOULD_RATE_LIMIT } from "./rate-limit-codec.ts";

export interface GrpcLoad {
  readonly port: number;
  /** In each call. */
  readonly descriptors: number;
  /** Calls that are open at once. */
  readonly calls: number;
  readonly seconds: number;
}

const OK = 1;

/** Makes load over one connection, as an Envoy does. @throws Error when a call fails or is not admitted. */
export async function loadGrpc({ port, descriptors, calls, seconds }: GrpcLoad): Promise<Throughput> {
  const codec = rateLimitCodec();
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const request = codec.encodeRequest({
    domain: "api",
    descriptors: Array.from({ length: descriptors }, (_, i) => {
      return { entries: [{ key: "remote_address", value: `192.0.2.${i}` }] };
    }),
  });
  const call = () =>
    new Promise<RateLimitAnswer>((resolve, reject) => {
      const pass = () => request;
      client.makeUnaryRequest(SHOULD_RATE_LIMIT, pass, codec.decodeAnswer, {}, (error, answer) =>
        error === null ? resolve(answer!) : reject(error),
      );
    });
  const latenciesMs: number[] = [];
  const begunMs = performance.now();
  const endMs = begunMs + seconds * 1_000;
  const work = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const sentMs = performance.now();
      const { overallCode, statuses } = await call();
      if (overallCode !== OK || statuses.length !== descriptors) throw new Error("expected a call to be admitted");
      latenciesMs.push(performance.now() - sentMs);
    }
  };
  await Promise.all(Array.from({ length: calls }, work));
  const tookMs = performance.now() - begunMs;
  client.close();
  const ascending = Float64Array.from(latenciesMs).sort();
  return {
    requests: ascending.length,
    seconds: tookMs / 1_000,
    p50Ms: percentile(ascending, 0.5),
    p99Ms: percentile(ascending, 0.99),
  };
}
