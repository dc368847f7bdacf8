import { checkOptions, optionError } from "../../core/check-options.ts";
import type { Duration } from "../../core/duration.ts";
import { checkDuration } from "../../core/duration-option.ts";
import type { AsyncStore, OnFailure } from "../../core/store.ts";
import type { StoreObservation } from "../../core/store-observation.ts";
import { OwnedStore } from "../owned/owned-store.ts";
import { ObjectLink } from "./object-link.ts";
import type { LimitsObjectNamespace } from "./object-types.ts";
import { spaceName } from "./row-space.ts";
import { Sharding, type Shards } from "./sharding.ts";

export interface DurableObjectStoreOptions {
  /** The binding of the class that `rateLimitObject` made, such as `env.LIMITS`. */
  readonly namespace: LimitsObjectNamespace;
  /**
   * Which object counts a key: one of so many, chosen by a hash (16 by default, at most 65,536); with `"key"` one of
   * its own; with a function the one that it names. Counts begin anew when this changes.
   */
  readonly shards?: Shards;
  /**
   * How calls are decided while an object does not answer: `"allow"` (the default), `"deny"`, or by a fraction of each
   * limit, counted in a store of this isolate. Such decisions have `degraded`. `"throw"` rejects with `ERR_STORE`.
   */
  readonly onFailure?: OnFailure;
  /** How long a call waits for its object, which may be on another continent: `"1s"` by default, at most an hour. */
  readonly timeout?: Duration;
  /** Is notified when an object stops answering, and when it answers again. */
  readonly observe?: (observation: StoreObservation) => void;
  /** With `false` the store does not warn of decisions without an object that no observer is told of. */
  readonly warnings?: boolean;
}

const OPTIONS: Readonly<Record<keyof DurableObjectStoreOptions, true>> = {
  namespace: true,
  shards: true,
  onFailure: true,
  timeout: true,
  observe: true,
  warnings: true,
};
const HINTS = { "": "write durableObjectStore({ namespace: env.LIMITS })", deadline: 'it is called "timeout" here' };
const AN_HOUR_MS = 3_600_000;
/** Lists that may carry over have their rows in common. */
const NAMES = {
  label: "durable-object",
  maker: "durableObjectStore",
  owner: "an object",
  askers: "isolates",
  keysOf: spaceName,
};

/**
 * Creates a store that counts in Durable Objects of Cloudflare, whose class `rateLimitObject` makes. The calls of one
 * turn for one object are one message. While an object does not answer, `onFailure` decides within `timeout`, and the
 * decision has `degraded`.
 *
 * @throws TollgateError `ERR_OPTION` or `ERR_DURATION`, with the expected and the actual value.
 * @example
 * ```js
 * import { env } from "cloudflare:workers";
 * import { createLimiter, perMinute } from "tollgate";
 * import { durableObjectStore } from "tollgate/durable-object";
 *
 * const store = durableObjectStore({ namespace: env.LIMITS, onFailure: "deny" });
 * const limiter = createLimiter({ name: "login", limits: [perMinute(5)], store });
 * ```
 */
export function durableObjectStore(options: DurableObjectStoreOptions): AsyncStore {
  checkOptions("durableObjectStore", options, OPTIONS, HINTS);
  const { namespace, shards = 16, timeout = "1s" } = options;
  if (typeof namespace?.idFromName !== "function" || typeof namespace.get !== "function")
    throw optionError("namespace", "a binding of Durable Objects, such as env.LIMITS", namespace);
  const linkOptions = {
    namespace,
    sharding: new Sharding(shards),
    timeoutMs: checkDuration("timeout", timeout, 1, AN_HOUR_MS),
  };
  return new OwnedStore(NAMES, options, (notify) => new ObjectLink({ ...linkOptions, notify }));
}
