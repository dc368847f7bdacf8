import { oddText } from "../odd-values.ts";
import type { Random } from "../random.ts";

/** Addresses that rules know, few enough to meet again. */
export function address(random: Random): string {
  if (random.percent(10)) return oddText(random);
  return random.pick([
    "192.0.2.1",
    "198.51.100.7",
    "10.0.0.1",
    "2001:db8::1",
    "::1",
    `203.0.113.${random.below(256)}`,
    `2001:db8:${random.below(9)}::${random.below(9)}`,
  ]);
}

export function path(random: Random): string {
  if (random.percent(15)) return `/${oddText(random)}`;
  return random.pick([
    "/",
    "/login",
    "/v1/chat",
    "/v1/chat/../x",
    "/v1//files/%2e%2e/a",
    "/v1/%ff",
    "/export?deep=1",
    `/v1/files/${random.below(100)}`,
    `/${"a/".repeat(random.size(3_000))}`,
  ]);
}

export function method(random: Random): string {
  return random.pick(["GET", "POST", "HEAD", "PUT", "DELETE", "get", "QUERY"]);
}

/** The headers that rules of the fuzzed files name. */
export function ruleHeader(random: Random): readonly [string, string] {
  switch (random.below(4)) {
    case 0:
      return ["x-api-key", random.percent(70) ? random.pick(["acme", "leaked", "k-1"]) : oddText(random)];
    case 1:
      return ["x-plan", random.pick(["pro", "staff", "none", "__proto__"])];
    case 2:
      return ["x-estimated-tokens", random.percent(70) ? String(random.below(5_000)) : oddText(random)];
    default:
      return ["user-agent", random.percent(70) ? "a bot of some kind" : oddText(random)];
  }
}
