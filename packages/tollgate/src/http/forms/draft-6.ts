import { unnamedPolicy } from "./draft-7.ts";
import { count, type Form } from "./form.ts";
import { PolicyTexts } from "./policy-texts.ts";

/** `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset`, in seconds from now, and `RateLimit-Policy: 100;w=60`. */
export function draft6(): Form {
  const policies = new PolicyTexts(unnamedPolicy);
  return {
    fieldNames: ["RateLimit-Policy", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"],
    tellsMoments: false,
    fields: ({ limits, limit, remaining, seconds }) => [
      ["RateLimit-Policy", policies.joined(limits)],
      ["RateLimit-Limit", count(limit.capacity)],
      ["RateLimit-Remaining", count(remaining)],
      ["RateLimit-Reset", count(seconds)],
    ],
  };
}
