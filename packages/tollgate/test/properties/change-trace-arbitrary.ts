import fc from "fast-check";
import { denseFixedWindowSpec, denseSlidingWindowSpec } from "./limit-arbitrary.ts";
import type { LimitSpec, TokenBucketSpec } from "./limit-spec.ts";

/** A list of limits, as numbers by name, and how a version of a limiter uses it. */
export interface VersionSpec {
  readonly limits: readonly (LimitSpec & { readonly name: string })[];
  readonly onChange: "carry-over" | "keep-first";
  /** A function chooses the limits: each is a plan of its own. */
  readonly isChosen: boolean;
}

export interface Step {
  readonly version: number;
  readonly key: string;
  readonly verb:
    | "allow"
    | "batch"
    | "handle"
    | "consume"
    | "peek"
    | "explain"
    | "charge"
    | "refund"
    | "reset"
    | "sweep";
  readonly cost: number;
  readonly waitUs: number;
}

export interface Trace {
  readonly versions: readonly VersionSpec[];
  readonly steps: readonly Step[];
}

const denseBucketSpec: fc.Arbitrary<TokenBucketSpec> = fc
  .record({
    unit: fc.constant("requests" as const),
    mode: fc.constantFrom("enforce" as const, "enforce" as const, "shadow" as const),
    capacity: fc.integer({ min: 1, max: 8 }),
    refill: fc.constantFrom(1, 2, 3, 7, 999_983),
    perUs: fc.constantFrom(7, 20, 60, 1_000, 1_000_007),
    initial: fc.constantFrom("full" as const, "full" as const, "empty" as const),
  })
  .map(({ refill, perUs, ...rest }) => ({
    kind: "token-bucket",
    ...rest,
    refill: Math.min(refill, 9 * perUs),
    perUs,
    idleTtlUs: rest.initial === "empty" ? 50 : undefined,
  }));

/** Few lengths, so that some versions differ in nothing but the limit. */
const windowUs = fc.constantFrom(7, 20, 41);
const slidingSpec = fc
  .tuple(denseSlidingWindowSpec, windowUs, fc.constantFrom(0, 0, 3))
  .map(([spec, length, resolutionUs]) => ({ ...spec, windowUs: length, resolutionUs }));
const fixedSpec = fc.tuple(denseFixedWindowSpec, windowUs).map(([spec, length]) => ({ ...spec, windowUs: length }));

const limitsByName = fc.uniqueArray(
  fc
    .tuple(fc.oneof(denseBucketSpec, slidingSpec, fixedSpec), fc.constantFrom("one", "one", "two", "three"))
    .map(([spec, name]) => ({ ...spec, name })),
  { minLength: 1, maxLength: 3, selector: ({ name }) => name },
);

const anyTrace: fc.Arbitrary<Trace> = fc.record({
  versions: fc.array(
    fc.record({
      limits: limitsByName,
      onChange: fc.constantFrom("carry-over" as const, "carry-over" as const, "keep-first" as const),
      isChosen: fc.constantFrom(false, false, false, true),
    }),
    { minLength: 2, maxLength: 4 },
  ),
  steps: fc.array(
    fc.record({
      version: fc.nat(3),
      key: fc.constantFrom("ann", "bob"),
      verb: fc.constantFrom(
        ...(["allow", "allow", "batch", "handle", "consume", "consume", "peek", "explain"] as const),
        ...(["charge", "refund", "reset", "sweep"] as const),
      ),
      cost: fc.constantFrom(0, 1, 1, 1, 2, 3),
      waitUs: fc.constantFrom(0, 0, 1, 3, 10, 25, 90),
    }),
    { minLength: 1, maxLength: 100, size: "max" },
  ),
});

/**
 * Between 2 and 4 versions of a limiter, and calls through any of them. Limits chosen per call split the row of a list
 * one after another, and what is idle is forgotten with its row. So such traces have no list, or no limit for which
 * that makes a difference.
 */
export const trace: fc.Arbitrary<Trace> = fc
  .tuple(anyTrace, fc.constantFrom("lists", "lists", "single limits", "carried lists"))
  .map(([{ versions, steps }, kind]) => ({ versions: versions.map((version) => ofKind(version, kind)), steps }));

function ofKind(version: VersionSpec, kind: "lists" | "single limits" | "carried lists"): VersionSpec {
  if (kind === "lists") return { ...version, isChosen: false };
  if (kind === "single limits") return version.isChosen ? version : { ...version, limits: version.limits.slice(0, 1) };
  const limits = version.limits.map((limit) =>
    limit.kind === "token-bucket" ? { ...limit, initial: "full" as const, idleTtlUs: undefined } : limit,
  );
  return { ...version, limits, onChange: "carry-over" };
}
