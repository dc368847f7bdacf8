import { isSameClock } from "../core/clock.ts";
import { show, TollgateError } from "../core/errors.ts";
import type { Scope } from "../core/plan.ts";
import { CombinedSelection } from "./choosing/combined-selection.ts";
import type { Source } from "./choosing/space.ts";
import type { Fitting } from "./fitting-input.ts";
import type { AsyncLimiter, Limiter } from "./limiter.ts";
import { isMadeHere } from "./limiter-mark.ts";
import { limiterOf } from "./limiters.ts";
import type { StoreLimiter } from "./store-limiter.ts";
import type { WithoutInput } from "./verbs.ts";
import { Watch } from "./watching/watch.ts";

type AnyLimiter = Limiter<never> | AsyncLimiter<never>;

/** The input that all of the limiters accept. */
type CommonInput<Limiters extends readonly AnyLimiter[]> = {
  [Index in keyof Limiters]: (input: InputOf<Limiters[Index]>) => void;
}[number] extends (input: infer Input) => void
  ? Input
  : never;

type InputOf<L> =
  L extends WithoutInput<"sync" | "async">
    ? unknown
    : L extends Limiter<infer Input> | AsyncLimiter<infer Input>
      ? Input
      : never;

/** Asynchronous if one of the limiters is for certain; either if one of them may be. */
type KindOf<Limiters extends readonly AnyLimiter[]> = "async" extends {
  [Index in keyof Limiters]: ["sync" | Limiters[Index]["kind"]] extends ["sync"]
    ? "sync"
    : "sync" extends Limiters[Index]["kind"]
      ? "sync"
      : "async";
}[number]
  ? "async"
  : Limiters[number]["kind"];

type InputsOf<Limiters extends readonly AnyLimiter[]> = { [Index in keyof Limiters]: InputOf<Limiters[Index]> };

type Combined<Kind, Input> = Kind extends "async" ? AsyncLimiter<Input> : Limiter<Input>;

/**
 * Several limiters as one: a call takes its cost from all of them or from none, at one instant. They may differ in key
 * and limits; they share one clock, and their stores are all in this process or all the same asynchronous one. The
 * input has to suit all of their key functions.
 *
 * @throws TollgateError `ERR_COMBINE` when they cannot decide at one instant, or would count a call twice.
 * @example
 * ```ts
 * import { combine, createLimiter, perMinute, perSecond } from "tollgate";
 *
 * type Call = { user: string; route: string };
 * const perUser = createLimiter({ name: "user", key: (call: Call) => call.user, limits: [perSecond(2)] });
 * const perRoute = createLimiter({ name: "route", key: (call: Call) => call.route, limits: [perMinute(1)] });
 * const both = combine(perUser, perRoute);
 *
 * console.log(both.allow({ user: "ann", route: "/a" })); // true
 * console.log(both.consume({ user: "ann", route: "/a" }).limiter); // route
 * console.log(perUser.peek({ user: "ann", route: "/a" }).remaining); // 0
 * ```
 */
export function combine<const Limiters extends readonly AnyLimiter[]>(
  ...limiters: Limiters & Fitting<InputsOf<Limiters>, CommonInput<Limiters>>
): Combined<KindOf<Limiters>, CommonInput<Limiters>>;
export function combine(...limiters: AnyLimiter[]): AnyLimiter {
  const members = limiters.map(madeHere);
  const [first] = members;
  if (first === undefined) throw combineError("at least one limiter", "none");
  const { clock, asker } = first;
  if (members.some((member) => member.asker.kind !== asker.kind))
    throw combineError("stores that are all in this process, or all the same", "both kinds");
  if (members.some((member) => !isSameClock(member.clock, clock)))
    throw combineError("limiters with one clock", "several");
  const sources = members.flatMap((member) => member.sources);
  checkSources(sources);
  if (asker.kind === "async" && sources.some(({ opened }) => opened !== sources[0]?.opened))
    throw combineError("limiters of one asynchronous store", "several");
  const watch = new Watch(
    undefined,
    undefined,
    members.map((member) => member.watch),
  );
  return limiterOf<never>({
    kind: members.some(({ kind }) => kind === "async") ? "async" : "sync",
    name: members.map(({ name }) => name).join(" + "),
    keyed: members.every(({ keyed }) => keyed),
    clock,
    selection: new CombinedSelection(
      members.map(({ selection }) => selection),
      watch,
    ),
    asker,
    watch,
    sources,
    end: () => {
      for (const member of members) member.end();
    },
  });
}

function madeHere(limiter: AnyLimiter): StoreLimiter<never> {
  if (isMadeHere(limiter)) return limiter as unknown as StoreLimiter<never>;
  const hint = Array.isArray(limiter) ? "; write combine(a, b)" : "";
  throw combineError("limiters made by createLimiter or combine", `${show(limiter)}${hint}`);
}

/** Limiters of one name on one store may share cells. Each of two takes would then miss the other. */
function checkSources(sources: readonly Source[]): void {
  const scopes = new Map<Source["store"], Set<Scope>>();
  for (const { store, scope } of sources) {
    const known = scopes.get(store) ?? new Set<Scope>();
    if (known.has(scope)) {
      const expected = "limiters that differ, with names that differ where they share a store";
      throw combineError(expected, `${show(scope)} twice`);
    }
    scopes.set(store, known.add(scope));
  }
}

function combineError(expected: string, got: string): TollgateError {
  return new TollgateError("ERR_COMBINE", `combine: expected ${expected}, got ${got}`);
}
