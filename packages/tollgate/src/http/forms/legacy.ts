import { count, type Form } from "./form.ts";

/** `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`: a moment, in seconds since the epoch. */
export function legacy(): Form {
  return {
    fieldNames: ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"],
    tellsMoments: true,
    fields: ({ limit, remaining, resetSeconds }) => [
      ["X-RateLimit-Limit", count(limit.capacity)],
      ["X-RateLimit-Remaining", count(remaining)],
      ["X-RateLimit-Reset", count(resetSeconds)],
    ],
  };
}
