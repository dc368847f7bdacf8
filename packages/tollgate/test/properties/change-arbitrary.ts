import fc from "fast-check";
import type { BlockFor } from "tollgate";
import { denseFixedWindowSpec, denseSlidingWindowSpec } from "./limit-arbitrary.ts";
import type { TokenBucketSpec } from "./limit-spec.ts";
import type { Changes, NamedSpec, Step, StepVerb, VersionSpec } from "./scenario.ts";

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

const anyTrace: fc.Arbitrary<Changes> = fc.record({
  versions: fc.array(
    fc.record({
      limits: limitsByName,
      onChange: fc.constantFrom("carry-over" as const, "carry-over" as const, "keep-first" as const),
      isChosen: fc.constantFrom(false, false, false, true),
    }),
    { minLength: 2, maxLength: 4 },
  ),
  steps: fc.array(
    step({
      who: fc.nat(3),
      key: fc.nat(1),
      verb: fc.constantFrom<Calling[]>(
        ...(["allow", "allow", "batch", "handle", "consume", "consume", "peek", "explain"] as const),
        ...(["charge", "refund", "reset", "sweep", "block", "unblock", "blocked until"] as const),
      ),
      count: fc.constantFrom(0, 1, 1, 1, 2, 3),
      waitUs: fc.constantFrom(0, 0, 1, 3, 10, 25, 90),
    }),
    { minLength: 1, maxLength: 100, size: "max" },
  ),
});

/** A verb, or how `allow` is called. */
type Calling = StepVerb | "handle" | "batch";

/** A step of one key, whose cost is the same in every unit. */
function step(parts: {
  readonly who: fc.Arbitrary<number>;
  readonly key: fc.Arbitrary<number>;
  readonly verb: fc.Arbitrary<Calling>;
  readonly count: fc.Arbitrary<number>;
  readonly waitUs: fc.Arbitrary<number>;
}): fc.Arbitrary<Step> {
  const blockUs = fc.constantFrom(10, 20, 30, 40);
  return fc.record({ ...parts, blockUs }).map(({ who, key, verb, count, waitUs, blockUs: spanUs }) => {
    const amount = { of: "number", count } as const;
    const by = verb === "handle" || verb === "batch" ? verb : "input";
    return {
      move: { to: "later", us: waitUs },
      verb: verb === "handle" || verb === "batch" ? "allow" : verb,
      ...{ who, keys: [key, key], by, blockUs: spanUs },
      cost: { as: "each", requests: amount, tokens: amount },
    };
  });
}

type Kind = "lists" | "lists that block" | "single limits" | "carried lists";

/**
 * Between 2 and 4 versions of a limiter, and calls through any of them. Limits chosen per call split the row of a list
 * one after another, and what is idle is forgotten with its row. So such traces have no list, or no limit for which
 * that makes a difference. The model knows blocks of lists alone.
 */
function traceOf(...kinds: readonly Kind[]): fc.Arbitrary<Changes> {
  return fc
    .tuple(anyTrace, fc.constantFrom(...kinds))
    .map(([{ versions, steps }, kind]) =>
      kind === "lists that block"
        ? { versions: versions.map((version) => ({ ...version, isChosen: false })), steps }
        : { versions: versions.map((version) => ofKind(withoutBlocks(version), kind)), steps: steps.map(unblocked) },
    );
}

/** One trace in four blocks keys, too. */
export const traceWithBlocks: fc.Arbitrary<Changes> = traceOf(
  "lists",
  "lists that block",
  "single limits",
  "carried lists",
);

function withoutBlocks(version: VersionSpec): VersionSpec {
  return { ...version, limits: version.limits.map((limit) => ({ ...limit, blockFor: undefined })) };
}

function unblocked(one: Step): Step {
  const { verb } = one;
  return verb === "block" || verb === "unblock" || verb === "blocked until" ? { ...one, verb: "allow" } : one;
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
const VERBS_OF_CROWD: readonly Calling[] = ["allow", "batch", "handle", "consume", "peek", "charge", "reset"];

/** Fifty limits of one name, each used in a version of its own. A crowd of keys comes first, each under one of them. */
export const crowdedTrace: fc.Arbitrary<Changes> = fc.record({
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
      step({
        who: fc.nat(NUMBERS - 1),
        key: fc.oneof(fc.nat(5), fc.nat(CROWD - 1)),
        verb: fc.oneof(
          { weight: 40, arbitrary: fc.constantFrom<Calling[]>(...VERBS_OF_CROWD) },
          { weight: 2, arbitrary: fc.constant("sweep" as const) },
          { weight: 1, arbitrary: fc.constant("clear" as const) },
        ),
        count: fc.constantFrom(1, 1, 2, 3),
        waitUs: fc.constantFrom(0, 0, 0, 1, 3, 10),
      }),
      { minLength: 1, maxLength: 300, size: "max" },
    )
    .map((steps) => [...crowd, ...steps]),
});

const crowd = Array.from(
  { length: CROWD },
  (_, i): Step => ({
    ...{ move: { to: "same" }, verb: "consume", who: i, keys: [i, i], cost: { as: "default" }, by: "input" },
  }),
);
