import { checkChoice, optionError } from "../core/check-options.ts";
import { show, TollgateError } from "../core/errors.ts";
import type { Key } from "../core/key.ts";
import { createPlan, type Plan } from "../core/plan.ts";
import type { AsyncStore, SyncStore } from "../core/store.ts";
import { memoryStore } from "../stores/memory/memory-store.ts";
import { DynamicSelection } from "./choosing/dynamic-selection.ts";
import type { ChosenLimits } from "./choosing/limits-choice.ts";
import { foundOptions, isAsyncFunction, lookingUp } from "./choosing/look-up-selection.ts";
import type { Owner } from "./choosing/owner.ts";
import { FixedSelection, type Selection } from "./choosing/selection.ts";
import type { Space } from "./choosing/space.ts";
import type {
  AsyncOption,
  CreatedLimiter,
  CreateOptions,
  MaybeKey,
  MaybeLimits,
  MaybeStore,
  Requirements,
  StoreOption,
} from "./created-limiter.ts";
import { AsyncAsker } from "./deciding/async-asker.ts";
import { SyncAsker } from "./deciding/sync-asker.ts";
import type { AsyncLimiter, Limiter } from "./limiter.ts";
import { limiterOf } from "./limiters.ts";
import { OpenContext } from "./open-context.ts";
import { checkLimiterOptionNames } from "./option-names.ts";
import { type CheckedOptions, checkLimiterOptions, type LimiterOptions } from "./options.ts";
import type { LimiterParts, StoreLimiter } from "./store-limiter.ts";
import { Lines } from "./waiting/lines.ts";
import { Watch } from "./watching/watch.ts";

/**
 * Binds a key function, limits and a store into a limiter: a `Limiter` over a synchronous store, an `AsyncLimiter` over
 * an asynchronous one. If `key` or `limits` is an async function, the limiter is asynchronous over any store. So it is
 * with `async: true`, which a function needs that returns promises without being written as `async`.
 *
 * @throws TollgateError `ERR_OPTION`, `ERR_NAME`, `ERR_LIMITS` or `ERR_STORE`, saying what was expected and what came.
 * @example
 * ```ts
 * import { createLimiter, perMinute, perSecond } from "tollgate";
 *
 * const limiter = createLimiter({
 *   name: "client",
 *   key: (request: { ip: string }) => request.ip,
 *   limits: [perSecond(10), perMinute(100)],
 * });
 * console.log(limiter.allow({ ip: "192.0.2.1" })); // true
 * console.log(limiter.consume({ ip: "192.0.2.1" }, 11).allowed); // false
 * ```
 */
export function createLimiter<
  Input,
  Found extends MaybeKey = Key,
  Chosen extends MaybeLimits = ChosenLimits,
  Store extends MaybeStore = undefined,
  Async extends true | undefined = undefined,
>(
  options: CreateOptions<Input, Found, Chosen> &
    Requirements<Input, Found, Chosen> &
    StoreOption<Store> &
    AsyncOption<Async>,
): CreatedLimiter<Input, Found, Chosen, Store, Async>;
export function createLimiter<Input>(options: AnyOptions<Input>): Limiter<Input> | AsyncLimiter<Input> {
  return createInDomain(options);
}

/** The options of `createLimiter`, as far as the compiler knows nothing of the store. */
type AnyOptions<Input> = LimiterOptions<Input> & {
  readonly key?: (input: Input) => Key;
  readonly store?: SyncStore | AsyncStore;
  readonly async?: true;
};

/** The domain of some rules, as their limiters see it. */
export interface RulesOwner {
  readonly name: string;
  /** Sees what they do. */
  readonly watch: Watch;
  /** The limiter of the domain, which passes calls on to them. */
  readonly limiter: object;
}

/** Works like `createLimiter`, for a limiter that may be that of a rule. */
export function createInDomain<Input>(
  options: AnyOptions<Input>,
  domain?: RulesOwner,
): StoreLimiter<Input> & (Limiter<Input> | AsyncLimiter<Input>) {
  checkLimiterOptionNames(options);
  const { store, async: isAsync } = options;
  const checked = checkLimiterOptions(options, store?.kind === "sync" ? store.clock : undefined);
  checkChoice("async", isAsync, [true]);
  const isLookUp = isAsync === true || isAsyncFunction(checked.key) || isAsyncFunction(checked.limits);
  if (!isLookUp) return limiterOf(partsOf(store, checked, domain));
  const parts = partsOf(store, foundOptions(checked), domain);
  return limiterOf<Input>({ ...parts, kind: "async", selection: lookingUp(checked, parts.selection) });
}

function partsOf<Input>(
  store: SyncStore | AsyncStore | undefined,
  options: CheckedOptions<Input>,
  domain: RulesOwner | undefined,
): LimiterParts<Input> {
  const known = store === undefined ? memoryStore() : store;
  if (typeof known?.open !== "function" || !(known.kind === "sync" || known.kind === "async"))
    throw new TollgateError(
      "ERR_STORE",
      `store: expected a store such as memoryStore() or redisStore({ client }), got ${show(store)}`,
    );
  checkKeepsName(known, options);
  const { name, keyed, clock } = options;
  const watch = new Watch(options.observe, domain?.watch);
  const context = new OpenContext(options, watch);
  const lines = new Lines(options);
  const selection = select(options, known, context, { watch, lines });
  return {
    kind: known.kind,
    name,
    keyed,
    clock,
    selection,
    asker: known.kind === "sync" ? new SyncAsker(clock) : new AsyncAsker(known, clock),
    watch,
    correctedBy: domain?.limiter,
    end: () => {
      context.close();
      lines.close();
      selection.release();
    },
  };
}

function select<Input>(
  options: CheckedOptions<Input>,
  store: SyncStore | AsyncStore,
  context: OpenContext,
  shared: Pick<Owner, "watch" | "lines">,
): Selection<Input> {
  const { name, scope, key, limits, onChange } = options;
  const identity = store.kind === "sync" ? store.identity : undefined;
  const made: { selection?: Selection<Input> } = {};
  const owner: Owner = {
    ...shared,
    name,
    source: { store: identity ?? store, opened: store, scope },
    blocks: store.blocks?.(scope, name, context),
    spaces: () => made.selection?.spaces() ?? [],
  };
  const open = (plan: Plan): Space => store.open(checkBlocksFor(plan, store), context);
  // Where the store keeps the keys without the space, a space can be released at any time.
  const outlives = store.kind === "async" || store.keysOutliveSpaces === true;
  const isIdle = (space: Space) => outlives || space.size === 0;
  made.selection =
    typeof limits === "function"
      ? new DynamicSelection(options, limits, owner, { open, isIdle })
      : new FixedSelection(key, open(createPlan(scope, name, limits, onChange)), owner);
  return made.selection;
}

/**
 * Where processes or threads share a store, they find each other's counts by the limiter's name.
 *
 * @throws TollgateError `ERR_OPTION`.
 */
function checkKeepsName<Input>(store: SyncStore | AsyncStore, { scope, onChange }: CheckedOptions<Input>): void {
  if (typeof scope === "string" || onChange === undefined || onChange === "separate") return;
  if (store.kind === "sync" && store.identity === undefined) return;
  throw optionError("onChange", '"separate" for a limiter without a name over a store that others share', onChange);
}

/** @throws TollgateError `ERR_STORE` for a limit with `blockFor` over a store that keeps no blocks. */
function checkBlocksFor(plan: Plan, { blocks }: SyncStore | AsyncStore): Plan {
  const blocking = blocks === undefined ? plan.limits.find(({ blockFor }) => blockFor !== undefined) : undefined;
  if (blocking === undefined) return plan;
  throw new TollgateError(
    "ERR_STORE",
    `store: expected a store that keeps blocks, because the limit ${show(blocking.name)} has blockFor, got one without`,
  );
}
