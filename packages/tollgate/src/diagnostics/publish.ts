import { channel } from "node:diagnostics_channel";
import { optionError } from "../core/check-options.ts";
import type {
  BlockObservation,
  ChangeObservation,
  DecisionObservation,
  DegradationObservation,
  Observation,
} from "../core/observer.ts";
import type { AsyncStore } from "../core/store.ts";
import type { BypassChange, ServerDown, ServerProbe, ServerUp, StoreObservation } from "../core/store-observation.ts";
import type { AsyncLimiter, Limiter } from "../limiter/limiter.ts";
import { isMadeHere } from "../limiter/limiter-mark.ts";

/** The channels, and what their subscribers get. */
export interface DiagnosticsMessages {
  readonly "tollgate:decision": DecisionObservation;
  readonly "tollgate:degraded": DegradationObservation;
  readonly "tollgate:change": ChangeObservation;
  readonly "tollgate:block": BlockObservation;
  readonly "tollgate:down": ServerDown;
  readonly "tollgate:up": ServerUp;
  readonly "tollgate:probe": ServerProbe;
  readonly "tollgate:bypass": BypassChange;
}

type Channels<Type extends string> = Readonly<Record<Type, keyof DiagnosticsMessages>>;

const OF_LIMITERS: Channels<Observation["type"]> = {
  decision: "tollgate:decision",
  degradation: "tollgate:degraded",
  change: "tollgate:change",
  block: "tollgate:block",
};

const OF_STORES: Channels<StoreObservation["type"]> = {
  down: "tollgate:down",
  up: "tollgate:up",
  probe: "tollgate:probe",
  bypass: "tollgate:bypass",
};

/** A store that can be observed. */
type ObservableStore = Required<Pick<AsyncStore, "observe">>;

/**
 * Publishes what a limiter, or a Redis store, does to channels of `node:diagnostics_channel`. Returns a function that
 * ends the publishing. Until then each call of the limiter makes an observation, as for an observer.
 *
 * An error of a subscriber fails no call. Node throws it later, as an uncaught exception.
 *
 * @throws TollgateError `ERR_OPTION` unless it is a limiter or a store that has observers.
 * @example
 * ```ts
 * import { subscribe } from "node:diagnostics_channel";
 * import { createLimiter, perMinute } from "tollgate";
 * import { type DiagnosticsMessages, publish } from "tollgate/diagnostics";
 *
 * const limiter = createLimiter({ name: "logins", limits: [perMinute(1)] });
 * publish(limiter);
 *
 * const reasons: string[] = [];
 * subscribe("tollgate:decision", (message) => {
 *   const { decision } = message as DiagnosticsMessages["tollgate:decision"];
 *   if (!decision.allowed) reasons.push(`${decision.limiter}: ${decision.reason}`);
 * });
 * limiter.allow("ann");
 * limiter.allow("ann");
 * console.log(reasons); // [ 'logins: exhausted' ]
 * ```
 */
export function publish(limiterOrStore: Limiter<never> | AsyncLimiter<never> | ObservableStore): () => void {
  if (isMadeHere(limiterOrStore)) {
    const limiter = limiterOrStore as Limiter<never>;
    return limiter.observe((observation) => channel(OF_LIMITERS[observation.type]).publish(observation));
  }
  const store = limiterOrStore as ObservableStore;
  if (typeof store?.observe !== "function") throw optionError("publish", "a limiter or a Redis store", store);
  return store.observe((observation) => channel(OF_STORES[observation.type]).publish(observation));
}
