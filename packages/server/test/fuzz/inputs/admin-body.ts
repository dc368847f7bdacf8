import { mutateBytes } from "../mutate.ts";
import { oddJson, oddNumber, oddText } from "../odd-values.ts";
import type { Random } from "../random.ts";
import { address } from "./facts.ts";
import { TEXTS } from "./limits-texts.ts";

/** The tokens of the admin listeners. There are several, because each may make ten calls a second. */
export const ADMIN_TOKENS: readonly string[] = Array.from({ length: 20 }, (_, i) => `fuzzing-token-number-${i}`);

const RULE_VERBS = ["off", "shadow", "on", "restore"];

/** The routes of the admin API. */
export const ADMIN_PATHS: readonly string[] = [
  ...["explain", "reset", "block", "unblock"].map((verb) => `/v1/keys/${verb}`),
  ...RULE_VERBS.map((verb) => `/v1/rules/client/${verb}`),
  "/v1/rules/%6c%6cm/off",
  "/v1/rules/%zz/off",
  "/v1/limits",
  "/v1/limits",
  "/v1/limits?dryRun=true",
  "/v1/keys/explain?domain=api&rule=client&key=192.0.2.1",
];

export function adminHeaders(random: Random): (readonly [string, string])[] {
  const headers: (readonly [string, string])[] = [["Authorization", `Bearer ${random.pick(ADMIN_TOKENS)}`]];
  const types = ["application/json", "application/json", "application/yaml", "application/json; charset=utf-8", "x/y"];
  headers.push(["Content-Type", random.pick(types)]);
  if (random.percent(60)) headers.push(["If-Match", random.pick(["*", "*", '"0123456789abcdef"', 'W/"x"', '"'])]);
  if (random.percent(3)) headers.push(["Content-Encoding", random.pick(["gzip", "identity", "br"])]);
  return headers;
}

/** A body for a route of the admin API, mostly well-formed. */
export function adminBody(random: Random, route: string): string {
  if (route.startsWith("/v1/limits")) {
    const text = random.pick(TEXTS.limits);
    return random.percent(60) ? text : mutateBytes(random, Buffer.from(text)).toString("latin1");
  }
  if (random.percent(10)) return oddJson(random);
  const fields = [`"domain":${random.percent(90) ? '"api"' : oddJson(random)}`];
  if (route.includes("/keys/")) {
    fields.push(`"rule":${random.percent(90) ? random.pick(['"client"', '"key"', '"llm"']) : oddJson(random)}`);
    fields.push(`"key":${random.percent(80) ? JSON.stringify(address(random)) : oddJson(random)}`);
  }
  if (random.percent(60)) fields.push(`"for":${random.percent(80) ? '"10s"' : oddJson(random)}`);
  if (random.percent(10)) fields.push(`"until":${oddNumber(random)}`);
  if (random.percent(20)) fields.push(`"reason":${JSON.stringify(oddText(random))}`);
  return `{${fields.join(",")}}`;
}
