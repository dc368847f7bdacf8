import { checkChoice, checkOptions, checkWholeNumber, type OptionNames, optionError } from "../core/check-options.ts";
import { checkFunction, isPromise } from "../core/checks.ts";
import { type Cost, copyCost } from "../core/cost.ts";
import { checkDuration } from "../core/duration-option.ts";
import { show, TollgateError } from "../core/errors.ts";
import { isMadeHere } from "../limiter/limiter-mark.ts";
import type { GateOptions } from "./gate-options.ts";
import { RIVAL_OPTIONS } from "./rival-options.ts";

const A_DAY_MS = 86_400_000;

type Check = (value: unknown, name: string) => void;

const functionOf =
  (expected: string): Check =>
  (value, name) => {
    if (value !== undefined) checkFunction(name, value, expected);
  };
const choiceOf =
  (...choices: readonly unknown[]): Check =>
  (value, name) =>
    checkChoice(name, value, choices);
const flag = choiceOf(true, false);
/** Where the option is used. */
const elsewhere: Check = () => {};

/** How the options of every adapter are checked. */
const CHECKS: Readonly<Record<keyof GateOptions<never, never> | "onDenied", Check>> = {
  limiter: elsewhere,
  input: functionOf("a function of the request"),
  // The limiter checks the units, when it is called.
  cost: (cost) => void (cost === undefined || typeof cost === "function" || copyCost(cost as Cost)),
  skip: functionOf("a function of the request"),
  allowList: elsewhere,
  denyList: elsewhere,
  clientIp: elsewhere,
  headers: elsewhere,
  partitionKey: functionOf("a function of the request"),
  exposeHeaders: flag,
  denial: choiceOf("json", "problem", "negotiate"),
  status: choiceOf(429, 503),
  failureStatus: (status, name) => void (status === undefined || checkWholeNumber(name, status, 400, 599)),
  retryJitter: elsewhere,
  maxWait: elsewhere,
  onDenied: functionOf("a function"),
  onError: choiceOf("allow", "deny", "throw"),
  logError: functionOf("a function of error and request"),
  requestProperty: checkProperty,
  chargeAfter: functionOf("a function of request and outcome"),
  settle: flag,
  settleAborted: flag,
};

type Any = GateOptions<never, never>;

type Defaults = Required<
  Pick<Any, "denial" | "status" | "failureStatus" | "onError" | "requestProperty" | "settle" | "settleAborted">
>;

/** What an option is that is not set. */
const DEFAULTS: Defaults = {
  denial: "negotiate",
  status: 429,
  failureStatus: 503,
  onError: "throw",
  requestProperty: "rateLimit",
  settle: false,
  settleAborted: false,
};

/** The checked options of a gate, with defaults. Without a `cost` the limiter finds what a request costs. */
export type CheckedGateOptions<Request, Input> = GateOptions<Request, Input> &
  Defaults & { readonly jitterMs: number; readonly maxWaitMs: number };

/**
 * Checks the options of an adapter. `own` names the options that only this adapter has.
 *
 * @returns a copy: the user may change the original.
 * @throws TollgateError `ERR_OPTION`, naming the option, what was expected and what came, `ERR_COST` or `ERR_DURATION`.
 */
export function checkGateOptions<Request, Input>(
  options: GateOptions<Request, Input>,
  own: readonly string[],
): CheckedGateOptions<Request, Input> {
  checkAll(options, own);
  const [jitterMs, maxWaitMs] = (["retryJitter", "maxWait"] as const).map((name) =>
    checkDuration(name, options[name] === undefined ? 0 : options[name], 0, A_DAY_MS),
  ) as [number, number];
  const { limiter, cost } = options;
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const ownCost = typeof cost === "object" && { cost: { ...cost } };
  return { ...DEFAULTS, ...given, jitterMs, maxWaitMs, limiter, ...ownCost };
}

function checkAll(options: unknown, own: readonly string[]): void {
  if (isMadeHere(options))
    throw new TollgateError("ERR_OPTION", "rateLimit: expected options, got a limiter; write rateLimit({ limiter })");
  const known: OptionNames = Object.fromEntries([...Object.keys(CHECKS), ...own].map((name) => [name, true]));
  checkOptions("rateLimit", options, known, RIVAL_OPTIONS);
  const given = options as Readonly<Record<string, unknown>>;
  const takes = ["chargeAfter", "maxWait"].some((name) => given[name] !== undefined) || given["settle"] === true;
  checkLimiter(given["limiter"], takes ? ["consume", "take"] : ["consume"]);
  checkKeyed(given);
  for (const [name, check] of Object.entries(CHECKS)) check(given[name], name);
  checkSettleAborted(given);
}

/**
 * Checks the shape: the limiter may come from another copy of this package. `verbs` are the methods that the gate
 * calls.
 */
export function checkLimiter(limiter: unknown, verbs: readonly string[]): void {
  if (typeof limiter === "object" && limiter !== null) {
    const given = limiter as Readonly<Record<string, unknown>>;
    const isEither = given["kind"] === "sync" || given["kind"] === "async";
    if (isEither && verbs.every((verb) => typeof given[verb] === "function")) return;
  }
  throw optionError("limiter", "one made by createLimiter or combine", limiter);
}

/** Without a key function the input is the key, and the facts of a request are no key. */
function checkKeyed({ limiter, input }: Readonly<Record<string, unknown>>): void {
  if (input !== undefined || (limiter as { readonly keyed?: unknown }).keyed !== false) return;
  throw new TollgateError(
    "ERR_OPTION",
    "limiter: expected one with a key function, got one without; " +
      "give createLimiter `key: clientIp()`, or rateLimit `input`",
  );
}

/** Names of other forms are mistakes, such as a path of properties. */
function checkProperty(name: unknown): void {
  if (name === undefined) return;
  if (typeof name === "string" && /^[A-Za-z$][\w$]*$/.test(name)) return;
  throw optionError("requestProperty", 'the name of a property, such as "rateLimit"', name);
}

/** Without `chargeAfter` the option would have no effect. */
function checkSettleAborted({ settleAborted, chargeAfter }: Readonly<Record<string, unknown>>): void {
  if (settleAborted === true && chargeAfter === undefined) {
    throw optionError(
      "settleAborted",
      "true only beside chargeAfter, which says what a request has cost",
      settleAborted,
    );
  }
}

/** Every limit's policy repeats it. */
const MOST_PARTITION_CHARACTERS = 256;

/** @throws TollgateError `ERR_OPTION` unless it is `undefined` or text that fits `pk`. */
export function checkedPartition(partition: unknown): string | undefined {
  if (partition === undefined) return undefined;
  if (typeof partition === "string" && partition.length <= MOST_PARTITION_CHARACTERS) return partition;
  // A promise is refused; its rejection must not end the process.
  if (isPromise(partition)) partition.then(undefined, () => {});
  const got = typeof partition === "string" ? `${partition.length} characters` : show(partition);
  throw new TollgateError(
    "ERR_OPTION",
    `partitionKey: expected a string of at most ${MOST_PARTITION_CHARACTERS} characters, or undefined, got ${got}`,
  );
}
