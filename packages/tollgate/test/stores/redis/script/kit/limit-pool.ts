import fc from "fast-check";
import {
  denseFixedWindowSpec,
  denseSlidingWindowSpec,
  largeSlidingWindowSpec,
  limitSpec,
  plainTokenBucketSpec,
  tokenBucketSpec,
} from "../../../../properties/limit-arbitrary.ts";
import type { LimitSpec } from "../../../../properties/limit-spec.ts";
import { isExact } from "../../../../properties/tick-room.ts";

/** Equal in every run: traces choose from the pool by their own seeds. */
function sample(specs: fc.Arbitrary<LimitSpec>, numRuns: number): readonly LimitSpec[] {
  return fc.sample(specs, { numRuns, seed: 5 });
}

const LONG_RING = 100;

/** Long rings are slow to copy, so only one in five is long. */
export const ALL_LIMITS: readonly LimitSpec[] = sample(
  fc.oneof(
    { weight: 4, arbitrary: limitSpec },
    { weight: 2, arbitrary: tokenBucketSpec },
    { weight: 2, arbitrary: tokenBucketSpec.map((spec) => ({ ...spec, initial: "empty" as const })) },
    { weight: 1, arbitrary: plainTokenBucketSpec },
    { weight: 4, arbitrary: denseSlidingWindowSpec },
    { weight: 1, arbitrary: largeSlidingWindowSpec },
    { weight: 2, arbitrary: denseFixedWindowSpec },
  ),
  4_000,
).filter((spec, i) => spec.kind !== "sliding-window" || spec.limit < LONG_RING || i % 5 === 0);

/** Limits with short forms. */
export const EXACT_BUCKETS: readonly LimitSpec[] = sample(
  tokenBucketSpec
    .map((spec) => ({ ...spec, initial: "full", idleTtlUs: undefined, mode: "enforce" }) as const)
    .filter(isExact),
  2_000,
);

/** At round times the ticks of these limits are close to whole numbers, on either side. */
export const INEXACT_BUCKETS: readonly LimitSpec[] = sample(
  plainTokenBucketSpec.map((spec) => ({ ...spec, mode: "enforce" }) as const).filter((spec) => !isExact(spec)),
  1_000,
);

/**
 * Few places, so that rings are soon full, and long windows, so that they stay full while a clock moves by
 * microseconds.
 */
export const SHORT_RINGS: readonly LimitSpec[] = sample(
  denseSlidingWindowSpec.map((spec) => ({ ...spec, mode: "enforce" }) as const).filter(({ windowUs }) => windowUs > 20),
  1_000,
);

/** A few calls together exceed the exact integers. */
export const HUGE_WINDOWS: readonly LimitSpec[] = sample(
  largeSlidingWindowSpec.map((spec) => ({ ...spec, mode: "enforce" }) as const).filter(({ windowUs }) => windowUs > 10),
  500,
);
