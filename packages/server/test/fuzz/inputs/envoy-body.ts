import { oddJson, oddNumber, oddText } from "../odd-values.ts";
import type { Random } from "../random.ts";
import { address } from "./facts.ts";

/** A request of Envoy's protocol as JSON, for `POST /json`, mostly well-formed. */
export function envoyBody(random: Random): string {
  if (random.percent(5)) return oddJson(random);
  const fields = [`"domain":${random.percent(95) ? '"edge"' : oddJson(random)}`];
  const count = random.pick([0, 1, 1, 2, 3, 10, 100, 101]);
  fields.push(`"descriptors":[${random.list(count, () => descriptor(random)).join(",")}]`);
  if (random.percent(20)) fields.push(`"hitsAddend":${random.percent(50) ? "3" : oddJson(random)}`);
  return `{${fields.join(",")}}`;
}

function descriptor(random: Random): string {
  const entries = random.list(random.size(3), () => entry(random));
  if (random.percent(2)) entries.push(...random.list(random.size(60), () => entry(random)));
  const fields = [`"entries":[${entries.join(",")}]`];
  if (random.percent(10)) fields.push(`"limit":{"requestsPerUnit":${oddNumber(random)},"unit":${unit(random)}}`);
  if (random.percent(10)) fields.push(`"hits_addend":${random.percent(50) ? '"7"' : oddJson(random)}`);
  if (random.percent(5)) fields.push(`"is_negative_hits":${random.percent(80) ? "true" : oddJson(random)}`);
  return `{${fields.join(",")}}`;
}

function unit(random: Random): string {
  return random.pick(['"MINUTE"', '"UNKNOWN"', '"hour"', "4", "99", "null", "-1"]);
}

/** Entries that the fuzzed files have, and others. */
export function entryOf(random: Random): { readonly key: string; readonly value: string } {
  const key = random.pick(["generic_key", "remote_address", "path", "client", oddText(random)]);
  const value = random.pick(["public", "/v1/a", "", address(random), oddText(random)]);
  return { key, value };
}

function entry(random: Random): string {
  return random.percent(95) ? JSON.stringify(entryOf(random)) : oddJson(random);
}
