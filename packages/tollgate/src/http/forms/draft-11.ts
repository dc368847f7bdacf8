import { REQUESTS } from "../../core/cost.ts";
import type { Limit } from "../../core/limits/limit.ts";
import type { HeaderList } from "../header-list.ts";
import { count, type Form, windowSeconds } from "./form.ts";
import { PolicyTexts } from "./policy-texts.ts";

/**
 * Structured fields with a name for each policy: `RateLimit-Policy: "a";q=100;w=60` and `RateLimit: "a";r=50;t=30`.
 * Source: draft-ietf-httpapi-ratelimit-headers, 08 to 11.
 */
export function draft11(): Form {
  const policies = new PolicyTexts(policyOf);
  return {
    fieldNames: ["RateLimit-Policy", "RateLimit"],
    tellsMoments: false,
    fields: ({ limits, limit, remaining, seconds, partition }) => {
      const standing = `"${limit.name}";r=${count(remaining)};t=${count(seconds)}`;
      if (partition === undefined) return fieldsOf(policies.joined(limits), standing);
      const pk = `;pk=:${base64(partition)}:`;
      const named = policies.each(limits).map((policy) => policy + pk);
      return fieldsOf(named.join(", "), standing + pk);
    },
  };
}

function fieldsOf(policies: string, standing: string): HeaderList {
  return [
    ["RateLimit-Policy", policies],
    ["RateLimit", standing],
  ];
}

/** Names and units are printable ASCII without quotes and backslashes: nothing has to be escaped. */
function policyOf(limit: Limit): string {
  const unit = limit.unit === REQUESTS ? "" : `;qu="${limit.unit}"`;
  return `"${limit.name}";q=${count(limit.capacity)};w=${count(windowSeconds(limit))}${unit}`;
}

function base64(text: string): string {
  let bytes = "";
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes);
}
