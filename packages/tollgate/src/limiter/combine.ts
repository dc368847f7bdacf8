import { show, TollgateError } from "../core/errors.ts";
import type { Observer } from "../core/observer.ts";
import { AsyncStoreLimiter } from "./async-store-limiter.ts";
import type { AsyncLimiter, Limiter } from "./limiter.ts";
import { CombinedSelection, type Source } from "./selection.ts";
import { SyncStoreLimiter } from "./sync-store-limiter.ts";

type AnyLimiter = Limiter<never> | AsyncLimiter<never>;

/** What every one of the limiters accepts. */
type SharedInput<Limiters extends readonly AnyLimiter[]> = {
  [Index in keyof Limiters]: (input: InputOf<Limiters[Index]>) => void;
}[number] extends (input: infer Input) => void
  ? Input
  : never;

type InputOf<L> = L extends Limiter<infer Input> | AsyncLimiter<infer Input> ? Input : never;

/**
 * Several limiters as one: a call takes its cost from all of them or from none, at one instant. They may differ in key
 * and limits; they share one clock, and their stores are all in this process or all the same asynchronous one.
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
export function combine<const Limiters extends readonly Limiter<never>[]>(
  ...limiters: Limiters
): Limiter<SharedInput<Limiters>>;
export function combine<const Limiters extends readonly AsyncLimiter<never>[]>(
  ...limiters: Limiters
): AsyncLimiter<SharedInput<Limiters>>;
export function combine(...limiters: AnyLimiter[]): AnyLimiter {
  const users = limiters.map(madeHere);
  const [first] = users;
  if (first === undefined) throw refusal("at least one limiter", "none");
  const sameKind = users.filter((member) => member.kind === first.kind);
  if (sameKind.length < users.length)
    throw refusal("stores that are all in this process, or all the same", "both kinds");
  if (users.some(({ clock }) => clock !== first.clock)) throw refusal("limiters with one clock", "several");
  checkSources(users.flatMap((member) => [...member.sources]));
  return first.kind === "sync"
    ? combineSync(first, sameKind as readonly SyncStoreLimiter<never>[])
    : combineAsync(first, sameKind as readonly AsyncStoreLimiter<never>[]);
}

function combineSync(
  first: SyncStoreLimiter<never>,
  users: readonly SyncStoreLimiter<never>[],
): SyncStoreLimiter<never> {
  return new SyncStoreLimiter<never>({
    ...shared(users),
    clock: first.clock,
    selection: new CombinedSelection(users.map(({ selection }) => selection)),
  });
}

function combineAsync(
  first: AsyncStoreLimiter<never>,
  users: readonly AsyncStoreLimiter<never>[],
): AsyncStoreLimiter<never> {
  if (users.some(({ store }) => store !== first.store)) throw refusal("limiters of one asynchronous store", "several");
  return new AsyncStoreLimiter<never>({
    ...shared(users),
    clock: first.clock,
    store: first.store,
    selection: new CombinedSelection(users.map(({ selection }) => selection)),
  });
}

interface Member {
  readonly close: () => void | Promise<void>;
  readonly name: string;
  readonly sources: readonly Source[];
  readonly observers: readonly Observer[];
}

function shared(users: readonly Member[]): Member & { readonly close: () => void } {
  return {
    name: users.map(({ name }) => name).join(" + "),
    sources: users.flatMap((member) => [...member.sources]),
    close: () => {
      for (const member of users) void member.close();
    },
    // A limiter's own, also through a combination in this one: each is told once.
    observers: [...new Set(users.flatMap(({ observers }) => observers))],
  };
}

function madeHere(limiter: AnyLimiter): SyncStoreLimiter<never> | AsyncStoreLimiter<never> {
  if (limiter instanceof SyncStoreLimiter || limiter instanceof AsyncStoreLimiter) return limiter;
  throw refusal("limiters made by createLimiter or combine", show(limiter));
}

/** One name on one store may mean the same cells, and each of two takes would miss the other's. */
function checkSources(sources: readonly Source[]): void {
  sources.forEach(({ store, scope }, index) => {
    if (!sources.slice(0, index).some((other) => other.store === store && other.scope === scope)) return;
    throw refusal("limiters that differ, with names that differ where they share a store", `${show(scope)} twice`);
  });
}

function refusal(expected: string, got: string): TollgateError {
  return new TollgateError("ERR_COMBINE", `combine: expected ${expected}, got ${got}`);
}
