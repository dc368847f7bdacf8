import { checkFunction } from "../core/checks.ts";
import { type Cost, readCosts } from "../core/cost.ts";
import { show, TollgateError } from "../core/errors.ts";
import { checkNames } from "./check-names.ts";
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
  settleAborted: true,
};

/** What is asked of the checked options at each request, with the defaults filled in; what has no default is `undefined`. */
export interface CheckedGateOptions<Request, Input> {
  readonly input: GateOptions<Request, Input>["input"];
  readonly cost: NonNullable<GateOptions<Request, Input>["cost"]>;
  readonly skip: GateOptions<Request, Input>["skip"];
  readonly partitionKey: GateOptions<Request, Input>["partitionKey"];
  readonly denial: NonNullable<GateOptions<Request, Input>["denial"]>;
  readonly status: NonNullable<GateOptions<Request, Input>["status"]>;
  readonly retryJitter: number;
  readonly onError: NonNullable<GateOptions<Request, Input>["onError"]>;
  readonly chargeAfter: GateOptions<Request, Input>["chargeAfter"];
  readonly settleAborted: boolean;
}

/**
 * Checks an adapter's options, of which some may be its own, by name.
 *
 * @returns a copy: whoever gave them may change theirs.
 * @throws TollgateError `ERR_OPTION` saying which option, what was expected and what came, or `ERR_COST`.
 */
export function checkGateOptions<Request, Input>(
  options: GateOptions<Request, Input>,
  own: readonly string[],
): CheckedGateOptions<Request, Input> {
  checkAll(options, own);
  const { input, cost = 1, skip, partitionKey, chargeAfter } = options;
  const { denial = "negotiate", status = 429, retryJitter = 0, onError = "throw", settleAborted = false } = options;
  return {
    input,
    cost: typeof cost === "object" ? { ...cost } : cost,
    skip,
    partitionKey,
    denial,
    status,
    retryJitter,
    onError,
    chargeAfter,
    settleAborted,
  };
}

function checkAll(options: unknown, own: readonly string[]): void {
  if (typeof options !== "object" || options === null) {
    throw refusal("rateLimit", "an object of options", options);
  }
  const given = options as Readonly<Record<string, unknown>>;
  checkNames("rateLimit", given, [...Object.keys(NAMES), ...own]);
  checkLimiter(given["limiter"], given["chargeAfter"] === undefined ? ["consume"] : ["consume", "handle"]);
  for (const name of ["input", "skip", "partitionKey"]) checkOptional(name, given[name], "a function of the request");
  checkCostOption(given["cost"]);
  checkOptional("onDenied", given["onDenied"], "a function");
  checkOptional("reportError", given["reportError"], "a function of error and request");
  checkOptional("chargeAfter", given["chargeAfter"], "a function of request and outcome");
  checkOneOf("denial", given["denial"], ["json", "problem", "negotiate"]);
  checkOneOf("status", given["status"], [429, 503]);
  checkOneOf("onError", given["onError"], ["allow", "deny", "throw"]);
  checkOneOf("exposeHeaders", given["exposeHeaders"], [true, false]);
  checkSettleAborted(given);
  checkJitter(given["retryJitter"]);
}

/** By its shape, with the verbs that it will be asked by. */
function checkLimiter(limiter: unknown, verbs: readonly string[]): void {
  if (typeof limiter === "object" && limiter !== null) {
    const given = limiter as Readonly<Record<string, unknown>>;
    const isEither = given["kind"] === "sync" || given["kind"] === "async";
    if (isEither && verbs.every((verb) => typeof given[verb] === "function")) return;
  }
  throw refusal("limiter", "one made by createLimiter or combine", limiter);
}

function checkOptional(name: string, value: unknown, expected: string): void {
  if (value !== undefined) checkFunction(name, value, expected);
}

function checkOneOf(name: string, value: unknown, choices: readonly unknown[]): void {
  if (value === undefined || choices.includes(value)) return;
  throw refusal(name, `one of ${choices.map(show).join(", ")}`, value);
}

const NO_UNITS: ReadonlySet<string> = new Set();

/** Which units there are the limiter knows, and refuses others when it is asked. */
function checkCostOption(cost: unknown): void {
  if (cost !== undefined && typeof cost !== "function") readCosts(cost as Cost, NO_UNITS, "ignored");
}

/** Alone it would change nothing, which its user would learn too late. */
function checkSettleAborted({ settleAborted, chargeAfter }: Readonly<Record<string, unknown>>): void {
  checkOneOf("settleAborted", settleAborted, [true, false]);
  if (settleAborted === true && chargeAfter === undefined) {
    throw refusal("settleAborted", "true only beside chargeAfter, which says what a request has cost", settleAborted);
  }
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
