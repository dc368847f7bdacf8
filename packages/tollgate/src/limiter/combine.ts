import { isSameClock } from "../core/clock.ts";
import { show, TollgateError } from "../core/errors.ts";
import type { Scope } from "../core/plan.ts";
import type { AsyncLimiter } from "./async-limiter.ts";
import { AsyncStoreLimiter } from "./async-store-limiter.ts";
import { CombinedSelection } from "./combined-selection.ts";
import type { Fitting } from "./fitting-input.ts";
import type { JointLimiter } from "./joint-call.ts";
import type { Limiter } from "./limiter.ts";
import { isMadeHere } from "./limiter-mark.ts";
import { type DecidingLimiter, LookupLimiter } from "./lookup-limiter.ts";
import { Observers } from "./observers.ts";
import type { AsyncRoutedLimiter, SyncRoutedLimiter } from "./routed-limiter.ts";
import type { Source } from "./selection.ts";
import { SyncStoreLimiter } from "./sync-store-limiter.ts";

type AnyLimiter = Limiter<never> | AsyncLimiter<never>;

/** The input that all of the limiters accept. */
type CommonInput<Limiters extends readonly AnyLimiter[]> = {
  [Index in keyof Limiters]: (input: InputOf<Limiters[Index]>) => void;
}[number] extends (input: infer Input) => void
  ? Input
  : never;

type InputOf<L> = L extends Limiter<infer Input> | AsyncLimiter<infer Input> ? Input : never;

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
  if (!members.some(isLookup)) return combineDeciding(members.map(decidingOf), (input: never) => input);
  return new LookupLimiter<never, readonly unknown[]>({
    limiter: combineDeciding(members.map(decidingOf), inputAt),
    lookUp: (input) => Promise.all(members.map((member) => (isLookup(member) ? member.lookUp(input) : input))),
  });
}

/** Combines limiters whose inputs have been looked up. `inputOf` finds the input of each. */
function combineDeciding<Input>(
  members: readonly DecidingLimiter<never>[],
  inputOf: (input: Input, index: number) => never,
): DecidingLimiter<Input> {
  const [first] = members;
  if (first === undefined) throw combineError("at least one limiter", "none");
  const sameKind = members.filter((member) => member.kind === first.kind);
  if (sameKind.length < members.length)
    throw combineError("stores that are all in this process, or all the same", "both kinds");
  if (members.some(({ clock }) => !isSameClock(clock, first.clock)))
    throw combineError("limiters with one clock", "several");
  const sources = members.flatMap((member) => [...member.sources]);
  checkSources(sources);
  if (first.kind === "async" && sources.some(({ opened }) => opened !== sources[0]?.opened))
    throw combineError("limiters of one asynchronous store", "several");
  const routed = members.find(isRouted);
  if (routed !== undefined) {
    const combineChosen = (chosen: readonly unknown[]) =>
      combineDeciding(chosen as readonly DecidingLimiter<never>[], inputAt);
    return routed.combinedWith(sameKind as never[], inputOf, combineChosen);
  }
  return first.kind === "sync"
    ? combineSync(first as SyncStoreLimiter<never>, sameKind as readonly SyncStoreLimiter<never>[], inputOf)
    : combineAsync(first as AsyncStoreLimiter<never>, sameKind as readonly AsyncStoreLimiter<never>[], inputOf);
}

/** Combines limiters with keys, of one store. The caller makes sure that each key of theirs comes once. */
export function joinLimiters(members: readonly JointLimiter[]): JointLimiter {
  const [first] = members;
  if (first === undefined) throw combineError("at least one limiter", "none");
  return first.kind === "sync"
    ? combineSync(first, members as readonly SyncStoreLimiter<never>[], inputAt)
    : combineAsync(first, members as readonly AsyncStoreLimiter<never>[], inputAt);
}

/** The input of a part, where each part has its own. */
function inputAt(inputs: readonly unknown[], index: number): never {
  return inputs[index] as never;
}

/** Whether a limiter chooses others, which have the keys. */
function isRouted(
  member: DecidingLimiter<never>,
): member is SyncRoutedLimiter<never, unknown> | AsyncRoutedLimiter<never, unknown> {
  return "router" in member;
}

function combineSync<Input>(
  first: SyncStoreLimiter<never>,
  members: readonly SyncStoreLimiter<never>[],
  inputOf: (input: Input, index: number) => never,
): SyncStoreLimiter<Input> {
  return new SyncStoreLimiter<Input>({
    ...commonParts(members),
    clock: first.clock,
    blocks: members.flatMap(({ blocks }) => blocks),
    lines: members.flatMap(({ lines }) => lines),
    selection: new CombinedSelection(
      members.map(({ selection }) => selection),
      inputOf,
    ),
  });
}

function combineAsync<Input>(
  first: AsyncStoreLimiter<never>,
  members: readonly AsyncStoreLimiter<never>[],
  inputOf: (input: Input, index: number) => never,
): AsyncStoreLimiter<Input> {
  return new AsyncStoreLimiter<Input>({
    ...commonParts(members),
    clock: first.clock,
    store: first.store,
    blocks: members.flatMap(({ blocks }) => blocks),
    lines: members.flatMap(({ lines }) => lines),
    selection: new CombinedSelection(
      members.map(({ selection }) => selection),
      inputOf,
    ),
  });
}

interface Member {
  readonly close: () => void | Promise<void>;
  readonly name: string;
  readonly keyed: boolean;
  readonly sources: readonly Source[];
  readonly observers: Observers;
}

function commonParts(members: readonly Member[]): Member & { readonly close: () => void } {
  return {
    name: members.map(({ name }) => name).join(" + "),
    keyed: members.every(({ keyed }) => keyed),
    sources: members.flatMap((member) => [...member.sources]),
    close: () => {
      for (const member of members) void member.close();
    },
    observers: new Observers(
      undefined,
      members.map(({ observers }) => observers),
    ),
  };
}

type MadeHere = DecidingLimiter<never> | LookupLimiter<never, unknown>;

function madeHere(limiter: AnyLimiter): MadeHere {
  if (isMadeHere(limiter)) return limiter as MadeHere;
  throw combineError("limiters made by createLimiter or combine", show(limiter));
}

function isLookup(member: MadeHere): member is LookupLimiter<never, unknown> {
  return "lookUp" in member;
}

function decidingOf(member: MadeHere): DecidingLimiter<never> {
  return isLookup(member) ? member.limiter : member;
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
