import fc from "fast-check";
import type { BlockFor } from "tollgate";
import { denseFixedWindowSpec, denseSlidingWindowSpec } from "./limit-arbitrary.ts";
import type { LimitSpec, TokenBucketSpec } from "./limit-spec.ts";

export type NamedSpec = LimitSpec & { readonly name: string; readonly blockFor: BlockFor | undefined };

/** A list of limits, as numbers by name, and how a version of a limiter uses it. */
export interface VersionSpec {
  readonly limits: readonly NamedSpec[];
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
    | "sweep"
    | "clear"
    | "block"
    | "unblock"
    | "blocked until";
  readonly cost: number;
  readonly waitUs: number;
  /** How long a block lasts; by default some tens of microseconds. */
  readonly blockUs?: number;
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

/** The keys of which a trace holds handles. */
export const HELD_KEYS: readonly string[] = ["ann", "bob"];

/** Mostly one length, because counts carry over between windows of one length only. */
const windowUs = fc.constantFrom(20, 20, 20, 41);
const slidingSpec = fc
  .tuple(denseSlidingWindowSpec, windowUs, fc.constantFrom(0, 0, 3))
  .map(([spec, length, resolutionUs]) => ({ ...spec, windowUs: length, resolutionUs }));
const fixedSpec = fc.tuple(denseFixedWindowSpec, windowUs).map(([spec, length]) => ({ ...spec, windowUs: length }));

const blockFor = fc.constantFrom<BlockFor | undefined>(
  undefined,
  undefined,
  0.02,
  { duration: 0.015, extend: true },
  { durations: [0.005, 0.03, 0.09], forgetAfter: 0.06 },
);

const limitsByName = fc.uniqueArray(
  fc
    .tuple(fc.oneof(denseBucketSpec, slidingSpec, fixedSpec), fc.constantFrom("one", "one", "two", "three"), blockFor)
    .map(
      ([spec, name, blocks]): NamedSpec => ({
        ...spec,
        name,
        blockFor: spec.mode === "shadow" ? undefined : blocks,
      }),
    ),
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
      key: fc.constantFrom(...HELD_KEYS),
      verb: fc.constantFrom(
        ...(["allow", "allow", "batch", "handle", "consume", "consume", "peek", "explain"] as const),
        ...(["charge", "refund", "reset", "sweep", "block", "unblock", "blocked until"] as const),
      ),
      cost: fc.constantFrom(0, 1, 1, 1, 2, 3),
      waitUs: fc.constantFrom(0, 0, 1, 3, 10, 25, 90),
    }),
    { minLength: 1, maxLength: 100, size: "max" },
  ),
});

type Kind = "lists" | "lists that block" | "single limits" | "carried lists";

/**
 * Between 2 and 4 versions of a limiter, and calls through any of them. Limits chosen per call split the row of a list
 * one after another, and what is idle is forgotten with its row. So such traces have no list, or no limit for which
 * that makes a difference. The model knows blocks of lists alone.
 */
function traceOf(...kinds: readonly Kind[]): fc.Arbitrary<Trace> {
  return fc
    .tuple(anyTrace, fc.constantFrom(...kinds))
    .map(([{ versions, steps }, kind]) =>
      kind === "lists that block"
        ? { versions: versions.map((version) => ({ ...version, isChosen: false })), steps }
        : { versions: versions.map((version) => ofKind(withoutBlocks(version), kind)), steps: steps.map(unblocked) },
    );
}

/** One trace in four blocks keys, too. */
export const traceWithBlocks: fc.Arbitrary<Trace> = traceOf(
  "lists",
  "lists that block",
  "single limits",
  "carried lists",
);

function withoutBlocks(version: VersionSpec): VersionSpec {
  return { ...version, limits: version.limits.map((limit) => ({ ...limit, blockFor: undefined })) };
}

function unblocked(step: Step): Step {
  const { verb } = step;
  return verb === "block" || verb === "unblock" || verb === "blocked until" ? { ...step, verb: "allow" } : step;
}

function ofKind(version: VersionSpec, kind: "lists" | "single limits" | "carried lists"): VersionSpec {
  if (kind === "lists") return { ...version, isChosen: false };
  if (kind === "single limits") return version.isChosen ? version : { ...version, limits: version.limits.slice(0, 1) };
  const limits = version.limits.map((limit) =>
    limit.kind === "token-bucket" ? { ...limit, initial: "full" as const, idleTtlUs: undefined } : limit,
  );
  return { ...version, limits, onChange: "carry-over" };
}

const NUMBERS = 50;
const CROWD = 400;
const VERBS_OF_CROWD: readonly Step["verb"][] = ["allow", "batch", "handle", "consume", "peek", "charge", "reset"];
const keyOf = (index: number): string => HELD_KEYS[index] ?? `key-${index}`;

/** Fifty limits of one name, each used in a version of its own. A crowd of keys comes first, each under one of them. */
export const crowdedTrace: fc.Arbitrary<Trace> = fc.record({
  versions: fc.array(
    fc.record({
      limits: fc
        .oneof({ weight: 6, arbitrary: denseBucketSpec }, { weight: 1, arbitrary: slidingSpec })
        .map((spec) => [{ ...spec, unit: "requests" as const, name: "one", blockFor: undefined }]),
      onChange: fc.constantFrom("carry-over" as const, "carry-over" as const, "keep-first" as const),
      isChosen: fc.boolean(),
    }),
    { minLength: NUMBERS, maxLength: NUMBERS },
  ),
  steps: fc
    .array(
      fc.record({
        version: fc.nat(NUMBERS - 1),
        key: fc.oneof(fc.nat(5), fc.nat(CROWD - 1)).map(keyOf),
        verb: fc.oneof(
          { weight: 40, arbitrary: fc.constantFrom<Step["verb"][]>(...VERBS_OF_CROWD) },
          { weight: 2, arbitrary: fc.constant("sweep" as const) },
          { weight: 1, arbitrary: fc.constant("clear" as const) },
        ),
        cost: fc.constantFrom(1, 1, 2, 3),
        waitUs: fc.constantFrom(0, 0, 0, 1, 3, 10),
      }),
      { minLength: 1, maxLength: 300, size: "max" },
    )
    .map((steps) => [...crowd, ...steps]),
});

const crowd = Array.from(
  { length: CROWD },
  (_, i): Step => ({ version: i, key: keyOf(i), verb: "consume", cost: 1, waitUs: 0 }),
);
