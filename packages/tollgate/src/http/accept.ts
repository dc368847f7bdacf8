/** What stands between commas, and between semicolons; a quoted string may hold either. No two alternatives begin alike: linear time. */
const RANGES = /(?:[^,"]|"(?:[^"\\]|\\.)*(?:"|\\?$))+/gs;
const PARTS = /(?:[^;"]|"(?:[^"\\]|\\.)*(?:"|\\?$))+/gs;

const WEIGHT = /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;
const IS_WEIGHT = /^q\s*(?:=|$)/;

/**
 * How gladly a client takes what its `Accept` (RFC 9110, section 12.5.1), in lower case, names: from 0 to 1, by types and ranges. Those
 * with a malformed weight are left out; of one that is named twice, the higher weight counts.
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
