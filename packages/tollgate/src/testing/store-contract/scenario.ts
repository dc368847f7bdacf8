import type { Duration } from "../../core/duration.ts";
import type { Key } from "../../core/key.ts";
import type { AsyncReservation, Reservation } from "../../limiter/reserving/reservation.ts";
import { DeniedError } from "../../limiter/waiting/denied-error.ts";
import type { WaitOptions } from "../../limiter/waiting/wait-options.ts";
import { type AnyLimiter, type AnyLimits, type Bench, type ContractTest, combineAny, same } from "./contract-case.ts";

const MOST_TURNS = 1_000;
/** A call that waits for a store elsewhere asks a random part of a tenth of the wait later, at most so much. */
export const MOST_JITTER_MS = 100;

/** What the calls of a scenario share. */
export interface Stage {
  readonly bench: Bench;
  readonly limiters: readonly AnyLimiter[];
  /** The limiter and the key of the next calls. */
  limiter: AnyLimiter;
  key: Key;
  /** What `reserve` has made so far. */
  readonly reservations: (Reservation | AsyncReservation)[];
  /** The calls that have waited, as they ended: their names, with the reasons of those that were denied. */
  readonly ended: string[];
  /** Ends the wait of the call `aborted`. */
  readonly controller: AbortController;
}

/** A call in code, where words do not suffice. */
export type Step = (stage: Stage) => unknown;

/**
 * A moment of a scenario: milliseconds since the one before, and calls with what they have to give. A text has calls
 * with commas between them, each a word of `WORDS`, its arguments, and what is expected: `allow 7 yes`, or figures of
 * the decision, as `consume 6 reason=exhausted remaining=0`.
 */
export type Moment = readonly [afterMs: number, ...calls: (string | Step)[]];

/** Several limiters, instead of one with these limits. */
type Limiters = (bench: Bench) => readonly AnyLimiter[];

/** A case: what one limiter does over time. */
export function scenario(limits: AnyLimits, ...moments: readonly Moment[]): ContractTest {
  return scenarioOf((bench) => [bench.limiter(limits)], ...moments);
}

/** A case of several limiters: `by 1` makes the second the one that is called next. */
export function scenarioOf(limitersOf: Limiters, ...moments: readonly Moment[]): ContractTest {
  return async (bench) => {
    const limiters = limitersOf(bench);
    const controller = new AbortController();
    const stage: Stage = { bench, limiters, limiter: limiters[0]!, key: "a", reservations: [], ended: [], controller };
    for (const [i, [afterMs, ...calls]] of moments.entries()) {
      bench.clock.advance(afterMs);
      for (const call of calls) {
        if (typeof call === "function") await call(stage);
        else for (const one of call.split(", ")) await say(stage, one, `moment ${i + 1}, ${one}`);
      }
    }
  };
}

/** A combination of two limiters, and both of them: limiter 0, and limiters 1 and 2 of the names "one" and "two". */
export function combined(one: AnyLimits, two: AnyLimits) {
  return (bench: Bench): [AnyLimiter, AnyLimiter, AnyLimiter] => {
    const both = [bench.limiter(one, "one"), bench.limiter(two, "two")] as const;
    return [combineAny(...both), ...both];
  };
}

export async function sizeOf(limiter: AnyLimiter): Promise<number> {
  return limiter.kind === "sync" ? limiter.size : limiter.size();
}

export async function usedOf(limiter: AnyLimiter, key: Key = "a"): Promise<number[]> {
  return (await limiter.explain(key)).map(({ used }) => used);
}

/** Makes a call, with arguments that it takes from the text, and returns what the rest of the text says. */
type Word = (stage: Stage, take: () => string) => unknown;

async function say(stage: Stage, text: string, what: string): Promise<void> {
  const [word = "", ...args] = text.split(" ");
  const call = WORDS[word];
  if (call === undefined) throw new Error(`unknown word ${word}`);
  const result = await call(stage, () => args.shift() ?? "1");
  if (args.some((arg) => arg.includes("="))) hasFigures(what, result, args);
  else if (args.length > 0) same(what, textOf(result), args.join(" "));
}

function hasFigures(what: string, decision: unknown, figures: readonly string[]): void {
  for (const figure of figures) {
    const [path = "", expected] = figure.split("=");
    const value = path
      .split(".")
      .reduce((from, name) => (from as Record<string, unknown> | undefined)?.[name], decision);
    same(`${what}: ${path}`, textOf(value), expected);
  }
}

/** Limits are shown by their names, decisions by whether they allow. */
function textOf(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map(textOf).join(" ");
  if (typeof value !== "object" || value === null) return String(value);
  if ("allowed" in value) return textOf(value.allowed);
  return "name" in value ? textOf(value.name) : JSON.stringify(value);
}

/** `3`, or `requests:1+tokens:80`. */
function costOf(text: string): number | Record<string, number> {
  if (!text.includes(":")) return Number(text);
  return Object.fromEntries(text.split("+").map((part) => [part.split(":")[0]!, Number(part.split(":")[1])]));
}

const WORDS: Readonly<Record<string, Word>> = {
  /** The limiter and the key of the next calls. */
  by: (stage, take) => {
    stage.limiter = stage.limiters[Number(take())]!;
  },
  key: (stage, take) => {
    stage.key = take();
  },
  /** `admits 5/8`: of 8 calls in a row, 5 are admitted. */
  admits: async ({ limiter, key }, take) => {
    const [count = 0, of = 0] = take().split("/").map(Number);
    let admitted = 0;
    for (let i = 0; i < of; i += 1) if (await limiter.allow(key)) admitted += 1;
    same(`admitted of ${of}`, admitted, count);
  },
  allow: ({ limiter, key }, take) => limiter.allow(key, costOf(take())),
  consume: ({ limiter, key }, take) => limiter.consume(key, costOf(take())),
  peek: ({ limiter, key }, take) => limiter.peek(key, costOf(take())),
  charge: ({ limiter, key }, take) => limiter.charge(key, costOf(take())),
  refund: ({ limiter, key }, take) => limiter.refund(key, costOf(take())),
  reset: ({ limiter, key }) => limiter.reset(key),
  clear: ({ limiter }) => limiter.clear(),
  sweep: ({ limiter }) => limiter.sweep(),
  /** How many keys there are; how much a key has used of each limit, and has left. */
  keys: ({ limiter }) => sizeOf(limiter),
  used: ({ limiter, key }) => usedOf(limiter, key),
  left: async ({ limiter, key }) => (await limiter.explain(key)).map(({ remaining }) => remaining),
  block: ({ limiter, key }, take) => limiter.block(key, take() as Duration),
  unblock: ({ limiter, key }) => limiter.unblock(key),
  /** For how many milliseconds the key is blocked. */
  blocked: async ({ bench, limiter, key }) => {
    const until = await limiter.blockedUntil(key);
    return until !== undefined && Math.round((until - bench.clock.now()) * 1_000) / 1_000;
  },
  /** A cost, if necessary with a `ttl`: `reserve 3/1m`. Later words name reservations by their numbers: 0, 1 … */
  reserve: async ({ limiter, key, reservations }, take) => {
    const [cost = "", ttl] = take().split("/");
    const reservation = await limiter.reserve(key, costOf(cost), ttl === undefined ? {} : { ttl: ttl as Duration });
    reservations.push(reservation);
    return reservation.decision;
  },
  /** A call waits: its name, cost and longest wait, as `wait late/1/999`. */
  wait: (stage, take) => follow(stage, take(), (cost, options) => stage.limiter.wait(stage.key, cost, options)),
  /** Works like `wait`. When it ends, there is a reservation more. */
  acquire: (stage, take) =>
    follow(stage, take(), async (cost, options) => {
      stage.reservations.push(await stage.limiter.acquire(stage.key, cost, options));
    }),
  abort: ({ controller }) => controller.abort("aborted"),
  /** These calls have ended, in this order, and no other. */
  ended: async ({ limiter, ended }, take) => {
    const names = take().replace("none", "").split("+").filter(Boolean);
    for (let turn = 0; turn < MOST_TURNS && ended.length < names.length; turn += 1) await nextTurn();
    await ask(limiter);
    same("calls that have ended", ended, names);
  },
  settle: ({ reservations }, take) => reservations[Number(take())]!.settle(costOf(take())),
  add: ({ reservations }, take) => reservations[Number(take())]!.charge(costOf(take())),
  cancel: ({ reservations }, take) => reservations[Number(take())]!.cancel(),
  renew: ({ reservations }, take) => reservations[Number(take())]!.renew(),
};

type Wait = (cost: number, options: WaitOptions) => Promise<unknown>;

async function follow({ limiter, controller, ended }: Stage, text: string, wait: Wait): Promise<void> {
  const [name = "", cost = "1", maxWait] = text.split("/");
  const signal = name === "aborted" ? controller.signal : undefined;
  void wait(Number(cost), { signal, maxWait: maxWait === undefined ? undefined : Number(maxWait) }).then(
    () => ended.push(name),
    (error: unknown) => ended.push(`${name}:${error instanceof DeniedError ? error.decision.reason : String(error)}`),
  );
  await ask(limiter);
}

/** Asks the store, so that calls that came before have been answered. */
async function ask(limiter: AnyLimiter): Promise<void> {
  for (let time = 0; time < 3; time += 1) await limiter.explain("a");
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 1);
  });
}
