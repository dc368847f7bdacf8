import { checkChoice, optionError } from "../core/check-options.ts";
import { show, TollgateError } from "../core/errors.ts";
import type { Key } from "../core/key.ts";
import { createPlan, type Plan } from "../core/plan.ts";
import type { AsyncSpace, AsyncStore, SyncSpace, SyncStore } from "../core/store.ts";
import { memoryStore } from "../stores/memory/memory-store.ts";
import type { AsyncLimiter } from "./async-limiter.ts";
import { AsyncStoreLimiter } from "./async-store-limiter.ts";
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
import { DynamicSelection } from "./dynamic-selection.ts";
import type { Limiter } from "./limiter.ts";
import type { ChosenLimits } from "./limits-choice.ts";
import { Lines } from "./lines.ts";
import { foundOptions, isAsyncFunction, lookUpOf } from "./look-up.ts";
import { LookupLimiter } from "./lookup-limiter.ts";
import { Observers } from "./observers.ts";
import { OpenContext } from "./open-context.ts";
import { checkLimiterOptionNames } from "./option-names.ts";
import { type CheckedOptions, checkLimiterOptions, type LimiterOptions } from "./options.ts";
import { FixedSelection, type Selection } from "./selection.ts";
import type { PlannedSpace } from "./space-list.ts";
import { SyncStoreLimiter } from "./sync-store-limiter.ts";

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
export function createLimiter<Input>(
  options: LimiterOptions<Input> & {
    readonly key?: (input: Input) => Key;
    readonly store?: SyncStore | AsyncStore;
    readonly async?: true;
  },
): Limiter<Input> | AsyncLimiter<Input> {
  checkLimiterOptionNames(options);
  const { store, async: isAsync } = options;
  const checked = checkLimiterOptions(options, store?.kind === "sync" ? store.clock : undefined);
  checkChoice("async", isAsync, [true]);
  if (isAsync !== true && !isAsyncFunction(checked.key) && !isAsyncFunction(checked.limits))
    return createOver(store, checked);
  return new LookupLimiter({ limiter: createOver(store, foundOptions(checked)), lookUp: lookUpOf(checked) });
}

function createOver<Input>(
  store: SyncStore | AsyncStore | undefined,
  options: CheckedOptions<Input>,
): SyncStoreLimiter<Input> | AsyncStoreLimiter<Input> {
  if (store === undefined) return createSync(options, memoryStore());
  if (typeof store?.open === "function") {
    checkKeepsName(store, options);
    if (store.kind === "sync") return createSync(options, store);
    if (store.kind === "async") return createAsync(options, store);
  }
  throw new TollgateError("ERR_STORE", `store: expected a store such as memoryStore(), got ${show(store)}`);
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

function createSync<Input>(options: CheckedOptions<Input>, store: SyncStore): SyncStoreLimiter<Input> {
  const observers = new Observers(options.observe);
  const context = new OpenContext(options, observers);
  const lines = new Lines<SyncSpace>(options);
  return new SyncStoreLimiter<Input>({
    ...options,
    observers,
    sources: [{ store: store.identity ?? store, opened: store, scope: options.scope }],
    blocks: [store.blocks?.(options.scope, options.name, context)],
    lines: [lines],
    selection: select(
      options,
      (plan) => store.open(checkBlocksFor(plan, store), context),
      (space: SyncSpace) => store.keepsSpaces !== true && space.size === 0,
    ),
    close: () => {
      context.close();
      lines.close();
    },
  });
}

function createAsync<Input>(options: CheckedOptions<Input>, store: AsyncStore): AsyncStoreLimiter<Input> {
  const observers = new Observers(options.observe);
  const context = new OpenContext(options, observers);
  const lines = new Lines<AsyncSpace>(options);
  // The store keeps the keys without the space, so a space can be released at any time.
  const selection = select<Input, AsyncSpace>(
    options,
    (plan) => store.open(checkBlocksFor(plan, store), context),
    () => true,
  );
  return new AsyncStoreLimiter<Input>({
    ...options,
    observers,
    sources: [{ store, opened: store, scope: options.scope }],
    store,
    blocks: [store.blocks?.(options.scope, options.name, context)],
    lines: [lines],
    selection,
    close: () => {
      context.close();
      lines.close();
    },
  });
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

function select<Input, Space extends PlannedSpace>(
  options: CheckedOptions<Input>,
  open: (plan: Plan) => Space,
  isIdle: (space: Space) => boolean,
): Selection<Input, Space> {
  const { name, scope, key, limits, onChange } = options;
  if (typeof limits === "function") return new DynamicSelection(options, limits, open, isIdle);
  return new FixedSelection(key, open(createPlan(scope, name, limits, onChange)));
}
