/**
 * The items between commas, and between semicolons. A quoted string may contain both. No two alternatives begin alike,
 * so matching takes linear time.
 */
const RANGES = /(?:[^,"]|"(?:[^"\\]|\\.)*(?:"|\\?$))+/gs;
const PARTS = /(?:[^;"]|"(?:[^"\\]|\\.)*(?:"|\\?$))+/gs;

const WEIGHT = /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;
const IS_WEIGHT = /^q\s*(?:=|$)/;

/**
 * The weights of the types and ranges in an `Accept` header (RFC 9110, section 12.5.1) in lower case: from 0 to 1.
 * Entries with a malformed weight are left out. Of two entries for one type, the higher weight counts.
 */
export function acceptWeights(accept: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const [range] of accept.matchAll(RANGES)) {
    const [type = "", ...parameters] = (range.match(PARTS) ?? []).map((part) => part.trim());
    const weight = weightAmong(parameters);
    if (weight !== undefined) weights.set(type, Math.max(weight, weights.get(type) ?? 0));
  }
  return weights;
}

function weightAmong(parameters: readonly string[]): number | undefined {
  const weight = parameters.find((parameter) => IS_WEIGHT.test(parameter));
  if (weight === undefined) return 1;
  return WEIGHT.test(weight) ? Number(weight.slice("q=".length)) : undefined;
}
