import { readFileSync } from "node:fs";
import protobuf from "protobufjs";

export const SHOULD_RATE_LIMIT = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";

export interface RateLimitAnswer {
  readonly overallCode: number;
  readonly statuses: readonly { readonly code: number }[];
}

export interface RateLimitQuestion {
  readonly domain: string;
  readonly descriptors: readonly { readonly entries: readonly { readonly key: string; readonly value: string }[] }[];
}

/** Reads and writes Envoy's messages, by the file that the service has. */
export function rateLimitCodec() {
  const file = new URL("../../../packages/server/proto/rate-limit-service.proto", import.meta.url);
  const { root } = protobuf.parse(readFileSync(file, "utf8"));
  const question = root.lookupType("envoy.service.ratelimit.v3.RateLimitRequest");
  const answer = root.lookupType("envoy.service.ratelimit.v3.RateLimitResponse");
  return {
    encodeRequest: (message: RateLimitQuestion) => question.encode(message).finish() as Buffer,
    decodeRequest: (bytes: Uint8Array) => question.decode(bytes) as unknown as RateLimitQuestion,
    encodeAnswer: (message: RateLimitAnswer) => answer.encode(message).finish() as Buffer,
    decodeAnswer: (bytes: Uint8Array) => answer.decode(bytes) as unknown as RateLimitAnswer,
  };
}
