import type { Limit } from "../../core/limits/limit.ts";
import { count, type Form, windowSeconds } from "./form.ts";
import { PolicyTexts } from "./policy-texts.ts";

/** `RateLimit: limit=100, remaining=50, reset=30` and `RateLimit-Policy: 100;w=60`. */
export function draft7(): Form {
  const policies = new PolicyTexts(unnamedPolicy);
  return {
    fieldNames: ["RateLimit-Policy", "RateLimit"],
    tellsMoments: false,
    fields: ({ limits, limit, remaining, seconds }) => [
      ["RateLimit-Policy", policies.joined(limits)],
      ["RateLimit", `limit=${count(limit.capacity)}, remaining=${count(remaining)}, reset=${count(seconds)}`],
    ],
  };
}

/** A policy before policies had names. */
export function unnamedPolicy(limit: Limit): string {
  return `${count(limit.capacity)};w=${count(windowSeconds(limit))}`;
}
