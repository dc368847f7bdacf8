import { tokenBucketSpec } from "./limit-arbitrary.ts";
import { type NamedProperty, namedProperty } from "./named-property.ts";
import { runScenario } from "./run-scenario.ts";
import { scenario } from "./scenario-arbitrary.ts";
import { hasRoom, isExact } from "./tick-room.ts";

/** Rational arithmetic has no ceiling of debt, so these buckets stay far below theirs. */
const limits = tokenBucketSpec.filter((spec) => isExact(spec) && hasRoom(spec, 40n, 200n));

export const EXACT_BUCKETS: readonly NamedProperty[] = [
  namedProperty(
    "usual token buckets decide in exact rational arithmetic",
    4,
    scenario({ limits, mostLimits: 1, mostLimiters: 1, costs: "modest" }),
    (one) => runScenario(one, { buckets: "exact" }),
  ),
];
