import type { Denied } from "../core/decision.ts";
import { type HttpAnswer, jsonAnswer } from "./answer.ts";

const TOO_MANY_REQUESTS = 429;

/**
 * What a denied client is told: 429 (RFC 6585), and in `Retry-After` (RFC 9110) whole seconds, rounded up so that a
 * client that waits is let in. Where waiting never helps there is no `Retry-After` and `retry_after_secs` is null.
 */
export function denialAnswer({ retryAfterMs }: Denied): HttpAnswer {
  const helps = Number.isFinite(retryAfterMs);
  const seconds = Math.ceil(retryAfterMs / 1000);
  return jsonAnswer(
    TOO_MANY_REQUESTS,
    { error: "rate limit exceeded", retry_after_secs: helps ? seconds : null },
    helps ? { "retry-after": String(seconds) } : {},
  );
}
