import type { Denied } from "../core/decision.ts";
import { acceptWeights } from "./accept.ts";
import { type HttpAnswer, jsonAnswer } from "./answer.ts";

const TOO_MANY_REQUESTS = 429;
const SERVICE_UNAVAILABLE = 503;

const PROBLEM_TYPES = "https://iana.org/assignments/http-problem-types";
const PROBLEM_MEDIA_TYPE = "application/problem+json";

/** Nobody who means it sends more characters, and each would cost time. */
const LONGEST_ACCEPT = 1_024;

/** How a denial is worded. */
export interface DenialWording {
  readonly body: "json" | "problem";
  readonly status: 429 | 503;
}

/**
 * What a denied client is told, with 429 (RFC 6585) or 503. Where the store could not be asked or had no room it is 503
 * always: the client has used up nothing. `seconds` is what `Retry-After` says; null where waiting never helps.
 */
export function denialAnswer(
  denied: Denied,
  seconds: number | null,
  { body, status: wanted }: DenialWording,
): HttpAnswer {
  const isStores = denied.reason === "store-unavailable" || denied.reason === "store-full";
  const status = isStores ? SERVICE_UNAVAILABLE : wanted;
  if (body === "problem") return jsonAnswer(status, problem(denied, status), PROBLEM_MEDIA_TYPE);
  const error = isStores ? "service unavailable" : "rate limit exceeded";
  return jsonAnswer(status, { error, retry_after_secs: seconds });
}

/**
 * `Retry-After` (RFC 9110) in whole seconds, rounded up so that a client that waits is let in, and a random part of the jitter
 * more; null where waiting never helps.
 */
export function retryAfterSeconds({ retryAfterMs }: Denied, jitterSeconds: number): number | null {
  if (!Number.isFinite(retryAfterMs)) return null;
  return Math.ceil(retryAfterMs / 1000) + Math.floor(Math.random() * (jitterSeconds + 1));
}

/** A problem (RFC 9457) of the types that the draft of the RateLimit fields registers. */
function problem({ violated }: Denied, status: number): object {
  const isQuota = status === TOO_MANY_REQUESTS;
  return {
    type: `${PROBLEM_TYPES}#${isQuota ? "quota-exceeded" : "temporary-reduced-capacity"}`,
    title: isQuota ? "Quota Exceeded" : "Temporary Reduced Capacity",
    status,
    "violated-policies": [...new Set(violated.map(({ name }) => name))],
  };
}

/** Whether a client asks for problems by name, and no less than for JSON: whoever takes anything gets JSON as ever. */
export function prefersProblem(accept: string | undefined): boolean {
  if (accept === undefined || accept.length > LONGEST_ACCEPT) return false;
  const asked = accept.toLowerCase();
  // Most do not name it, and no more need be known of them.
  if (!asked.includes(PROBLEM_MEDIA_TYPE)) return false;
  const weights = acceptWeights(asked);
  const ofProblem = weights.get(PROBLEM_MEDIA_TYPE) ?? 0;
  const ofJson = weights.get("application/json") ?? weights.get("application/*") ?? weights.get("*/*") ?? 0;
  return ofProblem > 0 && ofProblem >= ofJson;
}
