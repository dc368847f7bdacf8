import { oddJson, oddNumber, oddText } from "../odd-values.ts";
import type { Random } from "../random.ts";
import { address, method, path, ruleHeader } from "./facts.ts";

const VERBS = ["consume", "peek", "charge", "refund", "reserve", "settle", "cancel", "block", "unblock", "reset"];

const RESERVATION = "RESERVATION-OF-BEFORE-";
/** Stands for the id of the last reservation as JSON. The client puts that in its place, with spaces behind it. */
export const STAND_IN: string = `"${RESERVATION}"`.padEnd(32);

/** A body of `POST /v1/decide`: one call or a batch, mostly well-formed. */
export function decideBody(random: Random): string {
  if (random.percent(5)) return oddJson(random);
  const body = random.percent(75) ? call(random) : batch(random);
  return random.percent(15) ? withOddValue(random, body) : body;
}

/** The bound is a hundred. */
function batch(random: Random): string {
  const count = random.pick([0, 1, 2, 10, 99, 100, 101]);
  return `{"requests":[${random.list(count, () => call(random)).join(",")}]}`;
}

function call(random: Random): string {
  const verb = random.percent(3) ? oddText(random) : random.pick(VERBS);
  const fields: Record<string, unknown> = { verb };
  if (verb === "settle" || verb === "cancel") {
    fields["reservation"] = random.percent(80) ? RESERVATION : oddText(random);
    if (verb === "settle") fields["cost"] = cost(random);
    return JSON.stringify(fields).replace(`"${RESERVATION}"`, STAND_IN);
  }
  fields["domain"] = random.percent(95) ? "api" : oddText(random);
  fields["facts"] = facts(random);
  if (verb === "block") {
    if (random.percent(90))
      fields[random.pick(["for", "until"])] = random.pick(["1s", "10m", 1_000, 2e12, -1, "", "9".repeat(99)]);
    if (random.percent(50)) fields["reason"] = oddText(random);
  } else if (verb === "charge" || verb === "refund" || random.percent(40)) {
    fields["cost"] = cost(random);
  }
  return JSON.stringify(fields);
}

function facts(random: Random): unknown {
  const known: Record<string, unknown> = { ip: address(random), method: method(random), path: path(random) };
  if (random.percent(60)) known["header"] = Object.fromEntries(random.list(random.size(5), () => ruleHeader(random)));
  if (random.percent(20)) known["query"] = { [oddText(random)]: oddText(random), deep: "1" };
  if (random.percent(20)) known["cookie"] = { session: oddText(random) };
  if (random.percent(20)) known["descriptor"] = { generic_key: "public", remote_address: address(random) };
  if (random.percent(20)) known["host"] = random.percent(50) ? "api.example.com:443" : oddText(random);
  if (random.percent(3)) known[oddText(random)] = oddText(random);
  return known;
}

function cost(random: Random): unknown {
  if (random.percent(60)) return random.below(20);
  const number = Number(oddNumber(random));
  return random.percent(50) ? number : { requests: 1, [random.pick(["tokens", "__proto__", "x"])]: number };
}

/** Puts an odd value in place of some number or text of the JSON. */
function withOddValue(random: Random, json: string): string {
  const tokens = [...json.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.e+-]*/g)];
  const token = random.pick(tokens);
  if (token === undefined) return json;
  return json.slice(0, token.index) + oddJson(random) + json.slice(token.index + token[0].length);
}
