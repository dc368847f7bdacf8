import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { onTestFinished } from "vitest";
import { unaryMethod } from "../../src/envoy/codec.ts";
import type { RateLimitResponse } from "../../src/envoy/messages.ts";

/** A descriptor as people write it: `{ address: "a" }`. */
export type Entries = Readonly<Record<string, string>>;

export interface GrpcClient {
  /** @throws ServiceError with the status of gRPC. */
  shouldRateLimit(domain: string, ...descriptors: Entries[]): Promise<RateLimitResponse>;
  /** Sends bytes that need not be a message. */
  sendBytes(path: string, bytes: Uint8Array, headers?: Entries): Promise<Buffer>;
}

const METHOD = unaryMethod<object, RateLimitResponse>(
  "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit",
  "rate-limit-service.proto",
  "envoy.service.ratelimit.v3.RateLimit",
);

/** A client over a connection of its own, closed when the test is over. */
export function grpcClient(port: number): GrpcClient {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  onTestFinished(() => client.close());
  const sendBytes = (path: string, bytes: Uint8Array, headers: Entries = {}): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const pass = (buffer: Buffer): Buffer => buffer;
      const deadline = { deadline: Date.now() + 20_000 };
      const metadata = Metadata.fromHttp2Headers(headers);
      const done = (error: ServiceError | null, answer?: Buffer) =>
        error === null ? resolve(answer as Buffer) : reject(error);
      client.makeUnaryRequest(path, pass, pass, Buffer.from(bytes), metadata, deadline, done);
    });
  return {
    sendBytes,
    shouldRateLimit: async (domain, ...descriptors) => {
      const message = {
        domain,
        descriptors: descriptors.map((entries) => ({
          entries: Object.entries(entries).map(([key, value]) => ({ key, value })),
        })),
      };
      return METHOD.responseDeserialize(await sendBytes(METHOD.path, METHOD.requestSerialize(message)));
    },
  };
}
