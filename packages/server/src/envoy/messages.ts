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
  /** For the response to the client of the proxy. */
  readonly responseHeadersToAdd?: readonly HeaderValue[];
  readonly dynamicMetadata?: Readonly<Record<string, unknown>>;
}

export interface HeaderValue {
  readonly key: string;
  readonly value: string;
}

export interface DescriptorStatus {
  readonly code: number;
  readonly currentLimit?: CurrentLimit;
  readonly limitRemaining: number;
  readonly durationUntilReset?: { readonly seconds: number };
}

export interface CurrentLimit {
  readonly requestsPerUnit: number;
  readonly unit: number;
  readonly name: string;
}

/** The codes of a response. */
export const OK = 1;
export const OVER_LIMIT = 2;
