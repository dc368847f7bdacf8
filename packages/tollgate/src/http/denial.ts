import type { Denied } from "../core/decision.ts";
import { acceptWeights } from "./accept.ts";
import { allTold, type Told } from "./asked.ts";
import { FORBIDDEN, jsonContent, type ResponseContent } from "./verdict.ts";

const TOO_MANY_REQUESTS = 429;

const PROBLEM_TYPES = "https://iana.org/assignments/http-problem-types";
const PROBLEM_MEDIA_TYPE = "application/problem+json";

/** Longer values are ignored: parsing takes time for each character, and real clients send fewer. */
const LONGEST_ACCEPT = 1_024;

const FORBIDDEN_PROBLEM = jsonContent(
  FORBIDDEN.status,
  { type: "about:blank", title: "Forbidden", status: FORBIDDEN.status },
  PROBLEM_MEDIA_TYPE,
);

/** The options that shape a denial. */
export interface DenialForm {
  readonly body: "json" | "problem";
  readonly status: 429 | 503;
  readonly failureStatus: number;
}

/**
 * The response to a denied client, with 429 (RFC 6585) or 503. If the store was unavailable or full, the status is
 * `failureStatus`: the client has used up nothing. If the limits function denied, it is 403: waiting does not help. For
 * a blocked key it is always 429.
 *
 * @param seconds the value of `Retry-After`; null if waiting never helps.
 */
export function denialContent(
  denied: Denied,
  seconds: number | null,
  { body, status: wanted, failureStatus }: DenialForm,
): ResponseContent {
  if (denied.reason === "denied") return body === "problem" ? FORBIDDEN_PROBLEM : FORBIDDEN;
  const isStores = denied.reason === "store-unavailable" || denied.reason === "store-full";
  const isBlocked = denied.reason === "blocked";
  const status = isStores ? failureStatus : isBlocked ? TOO_MANY_REQUESTS : wanted;
  if (body === "problem") return jsonContent(status, problemOf(denied, status), PROBLEM_MEDIA_TYPE);
  const error = isStores ? "service unavailable" : isBlocked ? "blocked" : "rate limit exceeded";
  return jsonContent(status, { error, retry_after_secs: seconds });
}

/**
 * `Retry-After` (RFC 9110) in whole seconds, rounded up so that a client that waits passes, plus a random part of the
 * jitter. The longest wait of all limiters that were asked. Null if waiting never helps.
 */
export function retryAfterSeconds(last: Told, jitterMs: number): number | null {
  const retryAfterMs = Math.max(...allTold(last).map(({ decision }) => decision.retryAfterMs));
  if (!Number.isFinite(retryAfterMs)) return null;
  return Math.ceil(retryAfterMs / 1000) + Math.floor(Math.random() * (jitterMs / 1000 + 1));
}

/** A problem (RFC 9457) of the types that the draft of the RateLimit headers registers. */
function problemOf({ violated, reason }: Denied, status: number): object {
  const isQuota = status === TOO_MANY_REQUESTS && reason !== "store-unavailable" && reason !== "store-full";
  const [type, title] =
    reason === "blocked"
      ? ["abnormal-usage-detected", "Abnormal Usage Detected"]
      : isQuota
        ? ["quota-exceeded", "Quota Exceeded"]
        : ["temporary-reduced-capacity", "Temporary Reduced Capacity"];
  return {
    type: `${PROBLEM_TYPES}#${type}`,
    title,
    status,
    "violated-policies": [...new Set(violated.map(({ name }) => name))],
  };
}

/**
 * Whether a client asks for problems by name, with at least the weight of JSON. A client that accepts anything gets
 * JSON.
 */
export function prefersProblem(accept: string | undefined): boolean {
  if (accept === undefined || accept.length > LONGEST_ACCEPT) return false;
  const asked = accept.toLowerCase();
  // Most clients do not name it, so the value need not be parsed.
  if (!asked.includes(PROBLEM_MEDIA_TYPE)) return false;
  const weights = acceptWeights(asked);
  const ofProblem = weights.get(PROBLEM_MEDIA_TYPE) ?? 0;
  const ofJson = weights.get("application/json") ?? weights.get("application/*") ?? weights.get("*/*") ?? 0;
  return ofProblem > 0 && ofProblem >= ofJson;
}
