import { checkFunction } from "../core/check-function.ts";
import { checkCost } from "../core/cost.ts";
import { show, TollgateError } from "../core/errors.ts";
import type { GateOptions } from "./gate-options.ts";

/** What every adapter takes. */
const NAMES: Readonly<Record<keyof GateOptions<never, never> | "onDenied", true>> = {
  limiter: true,
  input: true,
  cost: true,
  skip: true,
  allow: true,
  deny: true,
  trustProxy: true,
  addressHeader: true,
  headers: true,
  partitionKey: true,
  exposeHeaders: true,
  denial: true,
  status: true,
  retryJitter: true,
  onDenied: true,
  onError: true,
  reportError: true,
  chargeAfter: true,
};

/**
 * Checks an adapter's options, of which some may be its own, by name.
 *
 * @throws TollgateError `ERR_OPTION` saying which option, what was expected and what came.
 */
export function checkGateOptions(options: unknown, own: readonly string[]): void {
  if (typeof options !== "object" || options === null) {
    throw refusal("rateLimit", "an object of options", options);
  }
  const given = options as Readonly<Record<string, unknown>>;
  checkNames(Object.keys(given), [...Object.keys(NAMES), ...own]);
  checkLimiter(given["limiter"]);
  for (const name of ["input", "skip", "partitionKey"]) checkOptional(name, given[name], "a function of the request");
  checkCostOption(given["cost"]);
  checkOptional("onDenied", given["onDenied"], "a function");
  checkOptional("reportError", given["reportError"], "a function of error and request");
  checkOptional("chargeAfter", given["chargeAfter"], "a function of request and outcome");
  checkOneOf("denial", given["denial"], ["json", "problem", "negotiate"]);
  checkOneOf("status", given["status"], [429, 503]);
  checkOneOf("onError", given["onError"], ["allow", "deny", "throw"]);
  checkOneOf("exposeHeaders", given["exposeHeaders"], [true, false]);
  checkJitter(given["retryJitter"]);
}

/** A name from another limiter would mean nothing here, and nobody would notice. */
function checkNames(names: readonly string[], known: readonly string[]): void {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new TollgateError("ERR_OPTION", `rateLimit: expected options among ${known.join(", ")}, got ${show(unknown)}`);
}

function checkLimiter(limiter: unknown): void {
  const kind = typeof limiter === "object" && limiter !== null && "kind" in limiter ? limiter.kind : undefined;
  if (kind === "sync" || kind === "async") return;
  throw refusal("limiter", "one made by createLimiter or combine", limiter);
}

function checkOptional(name: string, value: unknown, expected: string): void {
  if (value !== undefined) checkFunction(name, value, expected);
}

function checkOneOf(name: string, value: unknown, choices: readonly unknown[]): void {
  if (value === undefined || choices.includes(value)) return;
  throw refusal(name, `one of ${choices.map(show).join(", ")}`, value);
}

/** One per unit is for the limiter to check, which knows its units. */
function checkCostOption(cost: unknown): void {
  if (cost === undefined || typeof cost === "function" || (typeof cost === "object" && cost !== null)) return;
  checkCost(cost);
}

const MOST_JITTER_SECONDS = 86_400;

function checkJitter(seconds: unknown): void {
  if (seconds === undefined) return;
  if (Number.isInteger(seconds) && (seconds as number) >= 0 && (seconds as number) <= MOST_JITTER_SECONDS) return;
  throw refusal("retryJitter", `whole seconds from 0 to ${MOST_JITTER_SECONDS}`, seconds);
}

function refusal(name: string, expected: string, got: unknown): TollgateError {
  return new TollgateError("ERR_OPTION", `${name}: expected ${expected}, got ${show(got)}`);
}
