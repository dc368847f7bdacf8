import fc from "fast-check";
import type { Limiter, LimitStatus } from "tollgate";
import type { Outcome } from "../reference/outcome.ts";
import { denseSlidingWindowSpec, limitSpec } from "./limit-arbitrary.ts";
import { type NamedProperty, namedProperty } from "./named-property.ts";
import type { Call } from "./play.ts";
import { runScenario } from "./run-scenario.ts";
import { scenario } from "./scenario-arbitrary.ts";
import { REACH_US } from "./times.ts";
import type { Input, World } from "./world.ts";

/** A denied call passes at the time that its denial names, and not a microsecond earlier. */
function checkRetry({ limiter: one, input, cost, now }: Call, outcome: Outcome, { clock, startUs }: World): void {
  const limiter = one as Limiter<Input>;
  if (outcome.allowed || outcome.retryAfterUs === "never") return;
  const passesUs = now + outcome.retryAfterUs;
  if (passesUs > startUs + REACH_US) return;
  clock.set(Number(passesUs) / 1_000);
  if (!limiter.peek(input, cost).allowed) throw new Error("denied at the time of the retry");
  clock.set(Number(passesUs - 1n) / 1_000);
  if (limiter.peek(input, cost).allowed) throw new Error("allowed a microsecond before the time of the retry");
}

/** The binding limit is idle at its reset, and not a microsecond earlier. */
function checkReset({ limiter: one, input, now }: Call, outcome: Outcome, { clock, startUs }: World): void {
  const limiter = one as Limiter<Input>;
  const { binding, resetUs } = outcome;
  const freshUs = now + resetUs;
  if (binding === undefined || resetUs === 0n || freshUs > startUs + REACH_US) return;
  const used = (): LimitStatus | undefined => limiter.explain(input, 0)[binding];
  clock.set(Number(freshUs) / 1_000);
  if (used()?.used !== 0) throw new Error("units count at the reset");
  clock.set(Number(freshUs - 1n) / 1_000);
  if (used()?.used === 0) throw new Error("no unit counts a microsecond before the reset");
}

/**
 * A peek does not start the fill of a bucket that begins empty, so its wait stays the same. One of several limiters may
 * have forgotten its key, and be empty again, when the wait for another ends.
 */
function mayBeginAnew({ verb, targets }: Call): boolean {
  const specs = targets.flatMap((target) => target.specs);
  const beginsEmpty = specs.some((spec) => spec.kind === "token-bucket" && spec.initial === "empty");
  return beginsEmpty && (verb === "peek" || targets.length > 1);
}

function witness(call: Call, outcome: Outcome | undefined, world: World): void {
  if (outcome === undefined || mayBeginAnew(call)) return;
  checkRetry(call, outcome, world);
  // The reset of an allowed peek includes units that the peek has not taken.
  if (call.verb !== "peek") checkReset(call, outcome, world);
  world.clock.set(Number(call.now) / 1_000);
}

export const RETRY_AFTER: readonly NamedProperty[] = [
  namedProperty(
    "a denied call passes after retryAfterMs and not a microsecond earlier",
    4,
    scenario({
      limits: fc.oneof(limitSpec, limitSpec, denseSlidingWindowSpec),
      mostSteps: 12,
      verbs: ["consume", "consume", "consume", "peek", "charge", "charge", "refund"],
    }),
    (one) => runScenario(one, { witness: () => witness }),
  ),
];
