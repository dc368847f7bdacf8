import { readFileSync } from "node:fs";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import protobuf from "protobufjs";
import { onTestFinished } from "vitest";
import type { RateLimitResponse } from "../../src/envoy/messages.ts";
import { RATE_LIMIT_PATH } from "../../src/envoy/rate-limit-method.ts";

/** A descriptor as people write it: `{ address: "a" }`. */
export type Entries = Readonly<Record<string, string>>;

export interface GrpcClient {
  /** @throws ServiceError with the status of gRPC. */
  shouldRateLimit(domain: string, ...descriptors: Entries[]): Promise<RateLimitResponse>;
  /** Sends bytes that need not be a message. */
  sendBytes(path: string, bytes: Uint8Array, headers?: Entries): Promise<Buffer>;
}

const { root } = protobuf.parse(readFileSync(new URL("../../proto/rate-limit-service.proto", import.meta.url), "utf8"));
const [REQUEST, RESPONSE] = ["Request", "Response"].map((name) =>
  root.lookupType(`envoy.service.ratelimit.v3.RateLimit${name}`),
) as [protobuf.Type, protobuf.Type];

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
      const bytes = REQUEST.encode(REQUEST.create(message)).finish();
      return RESPONSE.decode(await sendBytes(RATE_LIMIT_PATH, bytes)) as unknown as RateLimitResponse;
    },
  };
}
