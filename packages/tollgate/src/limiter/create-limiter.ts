import { show, TollgateError } from "../core/errors.ts";
import { createPlan, type Plan } from "../core/plan.ts";
import type { AsyncSpace, AsyncStore, SyncSpace, SyncStore } from "../core/store.ts";
import { memoryStore } from "../stores/memory/memory-store.ts";
import { AsyncStoreLimiter } from "./async-store-limiter.ts";
import type { AsyncLimiter, Limiter } from "./limiter.ts";
import { OpenContext } from "./observers.ts";
import { type CheckedOptions, checkLimiterOptions, type LimiterOptions } from "./options.ts";
import { DynamicSelection, FixedSelection, type PlannedSpace, type Selection } from "./selection.ts";
import { SyncStoreLimiter } from "./sync-store-limiter.ts";

interface WithKey<Input> {
  /** The partition whose quota a call uses. The limiter's input type is this function's parameter. */
  readonly key: (input: Input) => string;
}

/** Without `key` the input is the key. */
interface WithoutKey {
  readonly key?: never;
}

interface WithAsyncStore {
  readonly store: AsyncStore;
}

interface WithSyncStore {
  /** A memory store of the limiter's own by default. */
  readonly store?: SyncStore;
}

/**
 * Binds a key function, limits and a store into a limiter. A synchronous store gives a `Limiter`, an asynchronous one
 * an `AsyncLimiter`.
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
export function createLimiter<Input>(
  options: LimiterOptions<Input> & WithKey<Input> & WithAsyncStore,
): AsyncLimiter<Input>;
export function createLimiter(options: LimiterOptions<string> & WithoutKey & WithAsyncStore): AsyncLimiter;
export function createLimiter<Input>(options: LimiterOptions<Input> & WithKey<Input> & WithSyncStore): Limiter<Input>;
export function createLimiter(options: LimiterOptions<string> & WithoutKey & WithSyncStore): Limiter;
export function createLimiter<Input>(
  options: LimiterOptions<Input> & Partial<WithKey<Input>> & { readonly store?: SyncStore | AsyncStore },
): Limiter<Input> | AsyncLimiter<Input> {
  const { store } = options ?? {};
  const checked = checkLimiterOptions(options, store?.kind === "sync" ? store.clock : undefined);
  if (store === undefined) return createSync(checked, memoryStore());
  if (typeof store?.open === "function") {
    if (store.kind === "sync") return createSync(checked, store);
    if (store.kind === "async") return createAsync(checked, store);
  }
  throw new TollgateError("ERR_STORE", `store: expected a store such as memoryStore(), got ${show(store)}`);
}

function createSync<Input>(options: CheckedOptions<Input>, store: SyncStore): Limiter<Input> {
  const context = new OpenContext(options);
  return new SyncStoreLimiter<Input>({
    ...options,
    observers: options.observe === undefined ? [] : [options.observe],
    sources: [{ store: store.identity ?? store, scope: options.scope }],
    selection: select(
      options,
      (plan) => store.open(plan, context),
      (space: SyncSpace) => store.keepsSpaces !== true && space.size === 0,
    ),
    close: () => context.close(),
  });
}

function createAsync<Input>(options: CheckedOptions<Input>, store: AsyncStore): AsyncLimiter<Input> {
  const context = new OpenContext(options);
  // The store keeps the keys without the space, so a space can be released at any time.
  const selection = select<Input, AsyncSpace>(
    options,
    (plan) => store.open(plan, context),
    () => true,
  );
  return new AsyncStoreLimiter<Input>({
    ...options,
    observers: options.observe === undefined ? [] : [options.observe],
    sources: [{ store, scope: options.scope }],
    store,
    selection,
    close: () => context.close(),
  });
}

function select<Input, Space extends PlannedSpace>(
  options: CheckedOptions<Input>,
  open: (plan: Plan) => Space,
  isIdle: (space: Space) => boolean,
): Selection<Input, Space> {
  const { name, scope, key, limits } = options;
  if (typeof limits === "function") return new DynamicSelection(options, limits, open, isIdle);
  return new FixedSelection(key, open(createPlan(scope, name, limits)));
}
