import { RequestError } from "../http/request-error.ts";
import type { RateLimitDescriptor, RateLimitRequest, RateLimitResponse } from "./messages.ts";

/** Decides requests of the protocol, by whichever files. */
export interface RateLimitDecider {
  /** Rejects with a RequestError: 400 before anything was counted, 503 if the store could not count. */
  decide(request: RateLimitRequest): Promise<RateLimitResponse>;
}

/** More descriptors or entries than a route of Envoy has. Beyond it a request is invalid. */
const MOST_DESCRIPTORS = 100;
const MOST_ENTRIES = 32;
/** More hits exceed every limit alike, because a limit has 32 bits. */
const MOST_HITS = 2 ** 32;

/** What the protocol calls remaining where nothing is counted. */
export const UNLIMITED_REMAINING: number = 2 ** 32 - 1;

/** @throws RequestError */
export function checkRequest({ domain, descriptors }: RateLimitRequest): void {
  if (domain === "") throw new RequestError(400, "domain: expected a text that is not empty");
  if (descriptors.length === 0 || descriptors.length > MOST_DESCRIPTORS) {
    throw new RequestError(400, `descriptors: expected 1 to ${MOST_DESCRIPTORS}, got ${descriptors.length}`);
  }
  for (const { entries } of descriptors) {
    if (entries.length > MOST_ENTRIES) {
      throw new RequestError(400, `entries: expected at most ${MOST_ENTRIES}, got ${entries.length}`);
    }
  }
}

/** The hits of a descriptor, or else of its request; `undefined` if both leave them open. The request's 0 does. */
export function statedHits({ hitsAddend }: RateLimitRequest, descriptor: RateLimitDescriptor): number | undefined {
  const own = descriptor.hitsAddend?.value;
  if (own === undefined) return hitsAddend === 0 ? undefined : Math.min(hitsAddend, MOST_HITS);
  return Math.min(typeof own === "number" ? own : own.toNumber(), MOST_HITS);
}
