import { checkOptions, optionError } from "../core/check-options.ts";
import type { Clock } from "../core/clock.ts";
import { show, TollgateError } from "../core/errors.ts";
import type { AsyncStore, OnFailure, SyncStore } from "../core/store.ts";
import type { ProxyOptions } from "../http/identity/client-finder.ts";
import { memoryStore } from "../stores/memory/memory-store.ts";
import type { LimitsFile } from "./file/limits-file.ts";
import { checkLimitsFile } from "./file/parse-limits.ts";
import type { Limits } from "./limits.ts";
import { LoadedLimits } from "./loaded-limits.ts";
import { ClientAddresses } from "./rules/client-addresses.ts";
import { clockOf } from "./rules/rule-limiter.ts";

/**
 * Where the limits of a file count, and how a client's address is found in facts that have a `remoteAddress` and no
 * `ip`: by `trustProxy` and `addressHeader`, as in `clientIp`.
 */
export interface CreateLimitsOptions<
  Store extends SyncStore | AsyncStore | undefined = SyncStore | AsyncStore | undefined,
> extends ProxyOptions {
  /** A memory store by default. */
  readonly store?: Store;
  /** As the `clock` of `createLimiter`. */
  readonly clock?: Clock;
  /**
   * What `refund`, `settle` and `cancel` do if a store elsewhere does not carry them out: without this, nothing.
   *
   * @internal
   */
  readonly lostCorrections?: "throw";
}

const OPTION_NAMES: Readonly<Record<keyof CreateLimitsOptions, true>> = {
  store: true,
  clock: true,
  lostCorrections: true,
  trustProxy: true,
  addressHeader: true,
};

/** What `createLimits` returns. */
export type LimitsOver<Store> = Store extends AsyncStore ? Limits<"async"> : Limits;

/**
 * Makes limiters of a limits file. `parseLimits` reads one from text; a program may also write one as an object.
 *
 * @throws LimitsFileError for an object that is wrong; TollgateError `ERR_OPTION` or `ERR_STORE`.
 * @example
 * ```ts
 * import { createLimits } from "tollgate/config";
 *
 * const limits = createLimits({
 *   version: 1,
 *   domains: {
 *     api: {
 *       limits: {
 *         client: { by: "ip", rate: "10/1s", burst: 20 },
 *         login: { match: { method: "POST", path: "/login" }, by: "ip", within: "2/15m" },
 *       },
 *     },
 *   },
 * });
 * const request = { ip: "192.0.2.1", method: "POST", path: "/login" };
 * console.log([1, 2, 3].map(() => limits.consume("api", request).allowed)); // [ true, true, false ]
 * console.log(limits.consume("api", request).limiter); // api/login
 * console.log(limits.peek("api", { ip: "192.0.2.1", path: "/" }).remaining); // 17
 * ```
 */
export function createLimits<Store extends SyncStore | AsyncStore | undefined = undefined>(
  file: LimitsFile,
  options?: CreateLimitsOptions<Store>,
): LimitsOver<Store>;
export function createLimits(file: LimitsFile, options: CreateLimitsOptions = {}): Limits | Limits<"async"> {
  checkOptions("createLimits", options, OPTION_NAMES);
  const { store: given, clock, lostCorrections } = options;
  const local = new LocalPolicies();
  const asNodeOf = (nodes: number) => local.of(nodes);
  if (typeof file === "string") throw optionError("createLimits", "an object", file, "; write parseLimits(text)");
  const checked = checkLimitsFile(file);
  const clients = new ClientAddresses(options);
  const own = given === undefined ? memoryStore() : undefined;
  const store = own ?? given;
  if (typeof store?.open !== "function") {
    throw new TollgateError(
      "ERR_STORE",
      `store: expected a store such as memoryStore() or redisStore({ client }), got ${show(store)}`,
    );
  }
  const where = { store, clock: clockOf(store, clock), asNodeOf, lostCorrections };
  const limits: unknown = new LoadedLimits(store.kind, checked, where, clients, () => {
    own?.close();
    local.close();
  });
  return limits as Limits | Limits<"async">;
}

/** The policies of rules that are counted in this process while the store is unavailable: one for each share. */
class LocalPolicies {
  #store: SyncStore | undefined;
  readonly #policies = new Map<number, OnFailure>();

  of(nodes: number): OnFailure {
    this.#store ??= memoryStore();
    const known = this.#policies.get(nodes) ?? { fallback: this.#store, share: 1 / nodes };
    this.#policies.set(nodes, known);
    return known;
  }

  close(): void {
    this.#store?.close();
  }
}
