import { readFileSync } from "node:fs";
import protobuf from "protobufjs";

/** A request as it was decoded. Fields with their default are present, messages that were not sent are not. */
export interface RateLimitRequest {
  readonly domain: string;
  readonly descriptors: readonly RateLimitDescriptor[];
  readonly hitsAddend: number;
}

export interface RateLimitDescriptor {
  readonly entries: readonly { readonly key: string; readonly value: string }[];
  readonly limit?: { readonly requestsPerUnit: number; readonly unit: number } | null | undefined;
  readonly hitsAddend?: { readonly value: Unsigned64 } | null;
  readonly isNegativeHits: boolean;
}

/** protobufjs has an object for a number of 64 bits. */
export type Unsigned64 = number | { toNumber(): number };

export interface RateLimitResponse {
  readonly overallCode: number;
  readonly statuses: readonly DescriptorStatus[];
  readonly dynamicMetadata?: Struct;
}

export interface DescriptorStatus {
  readonly code: number;
  readonly currentLimit?: { readonly requestsPerUnit: number; readonly unit: number; readonly name: string };
  readonly limitRemaining: number;
  readonly durationUntilReset?: { readonly seconds: number };
}

/** A `google.protobuf.Struct`. */
export interface Struct {
  readonly fields: Readonly<Record<string, StructValue>>;
}

export type StructValue =
  | { readonly nullValue: 0 }
  | { readonly numberValue: number }
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly structValue: Struct }
  | { readonly listValue: { readonly values: readonly StructValue[] } };

/** The codes of a response. */
export const OK = 1;
export const OVER_LIMIT = 2;

/** Reads and writes the messages of one method. */
export interface MethodCodec<Request, Response> {
  decodeRequest(bytes: Uint8Array): Request;
  encodeRequest(request: Request): Buffer;
  decodeResponse(bytes: Uint8Array): Response;
  encodeResponse(response: Response): Buffer;
}

/** The codec of a method of a file in `proto`, such as `"grpc.health.v1.HealthCheck"` with `Request` and `Response`. */
export function loadCodec<Request, Response>(file: string, name: string): MethodCodec<Request, Response> {
  const text = readFileSync(new URL(`../../proto/${file}`, import.meta.url), "utf8");
  const { root } = protobuf.parse(text);
  const request = root.lookupType(`${name}Request`);
  const response = root.lookupType(`${name}Response`);
  return {
    decodeRequest: (bytes) => request.decode(bytes) as unknown as Request,
    encodeRequest: (message) => Buffer.from(request.encode(message as protobuf.Message).finish()),
    decodeResponse: (bytes) => response.decode(bytes) as unknown as Response,
    encodeResponse: (message) => Buffer.from(response.encode(message as protobuf.Message).finish()),
  };
}
