import { channel } from "node:diagnostics_channel";
import type {
  BlockObservation,
  ChangeObservation,
  DecisionObservation,
  DegradationObservation,
  Observation,
  SweepObservation,
} from "../core/observer.ts";
import type { AsyncLimiter } from "../limiter/async-limiter.ts";
import type { Limiter } from "../limiter/limiter.ts";
import { observedParts } from "../limiter/observed-parts.ts";
import { followSubscribers } from "./subscribers.ts";

/** The channels, and what their subscribers get. */
export interface DiagnosticsMessages {
  readonly "tollgate:decision": DecisionObservation;
  readonly "tollgate:degraded": DegradationObservation;
  readonly "tollgate:sweep": SweepObservation;
  readonly "tollgate:change": ChangeObservation;
  readonly "tollgate:block": BlockObservation;
}

const CHANNELS: Readonly<Record<Observation["type"], keyof DiagnosticsMessages>> = {
  decision: "tollgate:decision",
  degradation: "tollgate:degraded",
  sweep: "tollgate:sweep",
  change: "tollgate:change",
  block: "tollgate:block",
};

const TYPES = Object.keys(CHANNELS) as readonly Observation["type"][];

/**
 * Publishes what a limiter does to channels of `node:diagnostics_channel`. The limiter has observers for channels with
 * subscribers only: without them nothing is built or called. Returns a function that ends the publishing. Until then
 * the channels refer to the limiter.
 *
 * An error of a subscriber fails no call. Node throws it later, as an uncaught exception.
 *
 * @throws TollgateError `ERR_OPTION` unless it is a limiter.
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
export function publish(limiter: Limiter<never> | AsyncLimiter<never>): () => void {
  observedParts("publish", limiter);
  const ends = TYPES.map((type) => {
    const to = channel(CHANNELS[type]);
    const begin = () => limiter.observe((observation) => to.publish(observation), { types: [type] });
    return followSubscribers(to, begin);
  });
  return () => {
    for (const end of ends) end();
  };
}
