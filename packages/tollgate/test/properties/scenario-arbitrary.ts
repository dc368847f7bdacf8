import fc from "fast-check";
import { limitSpec, magnitude } from "./limit-arbitrary.ts";
import type { LimitSpec } from "./limit-spec.ts";
import type { Amount, CostSpec, Move, Scenario, Step, StepVerb, StoreKind } from "./scenario.ts";
import { LAST_US, TODAY_US, YEAR_US } from "./times.ts";

export interface ScenarioOptions {
  readonly limits?: fc.Arbitrary<LimitSpec>;
  readonly mostLimits?: number;
  readonly mostLimiters?: number;
  readonly clock?: keyof typeof MOVES;
  readonly startUs?: fc.Arbitrary<number>;
  readonly mostSteps?: number;
  readonly verbs?: readonly StepVerb[];
  /** "modest": at most a unit above the capacity. "whole": the capacity, most of the time. */
  readonly costs?: keyof typeof AMOUNTS;
  /** By default all but the plain one if the clock goes forward, and otherwise the memory store. */
  readonly stores?: readonly StoreKind[];
  /** By default 3. */
  readonly mostKeys?: 1 | 3;
}

export const ALL_VERBS: readonly StepVerb[] = [
  ...times(8, "consume"),
  ...times(3, "allow"),
  ...times(2, "peek"),
  ...times(3, "charge"),
  ...times(3, "refund"),
  ...times(2, "explain"),
  "reset",
  "sweep",
];

export function scenario(options: ScenarioOptions = {}): fc.Arbitrary<Scenario> {
  const { limits = limitSpec, mostLimits = 3, mostLimiters = 2, mostSteps = 50, clock } = options;
  const { stores = clock === "forward" ? ["memory", "table", "shared"] : ["memory"] } = options;
  return fc.record({
    startUs: options.startUs ?? (clock === "round" ? fc.constant(TODAY_US) : start),
    limiters: fc.array(fc.array(limits, { minLength: 1, maxLength: mostLimits }), {
      minLength: 1,
      maxLength: mostLimiters,
    }),
    steps: fc.array(step(options), {
      minLength: 1,
      maxLength: mostSteps,
      size: "max",
    }),
    store: fc.constantFrom(...stores),
  });
}

/** Near the epoch, near the ends of 32 bits in µs and ms and of 41 bits in ms, or near a day in 2026. */
export const start: fc.Arbitrary<number> = fc
  .tuple(
    fc.constantFrom(TODAY_US, 0, 2 ** 32, 2 ** 32 * 1_000, LAST_US),
    fc.oneof(fc.constant(0), fc.integer({ min: -5, max: 5 }), magnitude(30)),
  )
  .map(([us, furtherUs]) => Math.max(0, us + furtherUs));

const plus = fc.integer({ min: -1, max: 1 });

const roundTime = fc.constantFrom(1_000, 15_625, 125_000, 500_000, 1_000_000, 60_000_000, 10_546_875, 10_800_000_000);

const forward: fc.Arbitrary<Move> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Move>({ to: "same" }) },
  { weight: 2, arbitrary: fc.constant<Move>({ to: "later", us: 1 }) },
  {
    weight: 6,
    arbitrary: fc.record({ to: fc.constant("retry" as const), plusUs: plus }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ to: fc.constant("reset" as const), plusUs: plus }),
  },
  { weight: 4, arbitrary: span(0, 20) },
  {
    weight: 2,
    arbitrary: fc.record({
      to: fc.constant("later" as const),
      us: magnitude(33),
    }),
  },
  { weight: 2, arbitrary: fc.record({ to: fc.constant("later" as const), us: roundTime }) },
  {
    weight: 1,
    arbitrary: fc.record({
      to: fc.constant("later" as const),
      us: magnitude(48).map(atMostAYear),
    }),
  },
);

const backAndForth: fc.Arbitrary<Move> = fc.oneof(
  { weight: 8, arbitrary: forward },
  {
    weight: 1,
    arbitrary: fc.record({
      to: fc.constant("earlier" as const),
      us: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      to: fc.constant("earlier" as const),
      us: magnitude(41),
    }),
  },
  { weight: 1, arbitrary: span(-12, -1) },
);

function span(min: number, max: number): fc.Arbitrary<Move> {
  const which = fc.constantFrom(0 as const, 1 as const);
  return fc.record({
    to: fc.constant("span" as const),
    which,
    eighths: fc.integer({ min, max }),
  });
}

function atMostAYear(us: number): number {
  return Math.min(us, YEAR_US);
}

/** Also jumps to any time between the epoch and 2039. */
const wandering: fc.Arbitrary<Move> = fc.oneof(
  { weight: 5, arbitrary: backAndForth },
  {
    weight: 1,
    arbitrary: fc.record({ to: fc.constant("moment" as const), us: fc.integer({ min: 0, max: LAST_US }) }),
  },
);

/** Moves by a few microseconds, so that a window of some microseconds fills up with groups. */
const crowded: fc.Arbitrary<Move> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ to: fc.constant("later" as const), us: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ to: fc.constant("earlier" as const), us: fc.integer({ min: 1, max: 20 }) }) },
  { weight: 1, arbitrary: backAndForth },
);

const crowdedForward: fc.Arbitrary<Move> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ to: fc.constant("later" as const), us: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: forward },
);

/** Prefers times that end in zeros, where floats tend to be just off a whole number. */
const round: fc.Arbitrary<Move> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Move>({ to: "same" }) },
  { weight: 5, arbitrary: fc.record({ to: fc.constant("later" as const), us: roundTime }) },
  { weight: 1, arbitrary: forward },
);

const MOVES = {
  ...{ crowded, "crowded forward": crowdedForward, round, forward, "back-and-forth": backAndForth, wandering },
} as const;

const whichLimit = fc.integer({ min: 0, max: 2 });
const few = fc.record({ of: fc.constant("number" as const), count: fc.integer({ min: 0, max: 3 }) });
const many = fc.record({ of: fc.constant("number" as const), count: magnitude(24) });
const measured = fc.record({ of: fc.constantFrom("left" as const, "capacity" as const), limit: whichLimit, plus });

function part(eighths: number): fc.Arbitrary<Amount> {
  return fc.record({
    of: fc.constant("part" as const),
    limit: whichLimit,
    eighths: fc.integer({ min: 1, max: eighths }),
  });
}

const anyAmount: fc.Arbitrary<Amount> = fc.oneof(
  { weight: 5, arbitrary: few },
  { weight: 1, arbitrary: many },
  { weight: 4, arbitrary: measured },
  { weight: 2, arbitrary: part(20) },
);

/** At most a unit above the capacity, or 3. */
const modestAmount: fc.Arbitrary<Amount> = fc.oneof(
  { weight: 5, arbitrary: few },
  { weight: 4, arbitrary: measured },
  { weight: 2, arbitrary: part(8) },
);

const wholeAmount: fc.Arbitrary<Amount> = fc.oneof(
  { weight: 1, arbitrary: few },
  { weight: 3, arbitrary: fc.constant<Amount>({ of: "capacity", limit: 0, plus: 0 }) },
);

/** Up to the greatest number. */
const hugeAmount: fc.Arbitrary<Amount> = fc.oneof(
  { weight: 5, arbitrary: few },
  { weight: 2, arbitrary: fc.record({ of: fc.constant("number" as const), count: magnitude(52) }) },
  { weight: 4, arbitrary: measured },
);

const AMOUNTS = { huge: hugeAmount, any: anyAmount, modest: modestAmount, whole: wholeAmount } as const;

function cost(amount: fc.Arbitrary<Amount>): fc.Arbitrary<CostSpec> {
  const orNone = fc.option(amount, { nil: undefined });
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant<CostSpec>({ as: "default" }) },
    { weight: 6, arbitrary: fc.record({ as: fc.constant("number" as const), amount }) },
    { weight: 2, arbitrary: fc.record({ as: fc.constant("each" as const), requests: orNone, tokens: orNone }) },
  );
}

function step(options: ScenarioOptions): fc.Arbitrary<Step> {
  const { clock = "back-and-forth", verbs = ALL_VERBS, costs = "any", mostKeys = 3 } = options;
  const key = mostKeys === 1 ? fc.constant(0) : fc.constantFrom(0, 0, 0, 1, 2);
  return fc.record({
    move: MOVES[clock],
    verb: fc.constantFrom(...verbs),
    who: fc.integer({ min: 0, max: 2 }),
    keys: fc.tuple(key, key),
    cost: cost(AMOUNTS[costs]),
    by: fc.constantFrom("input", "input", "input", "handle", "batch"),
  });
}

function times(count: number, verb: StepVerb): StepVerb[] {
  return Array.from({ length: count }, () => verb);
}
