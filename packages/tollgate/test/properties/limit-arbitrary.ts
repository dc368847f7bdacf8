import fc from "fast-check";
import type {
  CalendarWindowSpec,
  FixedWindowSpec,
  LimitSpec,
  SlidingWindowSpec,
  TokenBucketSpec,
} from "./limit-spec.ts";
import { DAY_US, HOUR_US, MINUTE_US, SECOND_US } from "./times.ts";

const MOST_UNITS = 1_000_000;

/** Spread evenly over the magnitudes up to 2^bits; shrinks towards 1. */
export function magnitude(bits: number): fc.Arbitrary<number> {
  return fc
    .tuple(fc.integer({ min: 0, max: bits - 1 }), fc.integer({ min: 0, max: 1_023 }))
    .map(([power, part]) => Math.floor(2 ** power * (1 + part / 1_024)));
}

const unit = fc.constantFrom("requests" as const, "requests" as const, "requests" as const, "tokens" as const);
const mode = fc.constantFrom("enforce" as const, "enforce" as const, "enforce" as const, "shadow" as const);
const count = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 12 }) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 200 }) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: MOST_UNITS }) },
  { weight: 1, arbitrary: fc.constantFrom(1, 1_000_000, 65_537, 999_983) },
);

/** Units and the microseconds they take: usual ones, fast and slow ones, and pairs with nothing in common. */
const rate = fc
  .oneof(
    fc.record({
      refill: fc.constantFrom(1, 2, 3, 5, 7, 10, 13, 17, 29, 50, 60, 100, 365, 997, 1_000, 100_000),
      perUs: fc.constantFrom(SECOND_US, SECOND_US, MINUTE_US, HOUR_US, DAY_US),
    }),
    fc.record({
      refill: fc.integer({ min: 1, max: 9_000 }),
      perUs: fc.constantFrom(1, 7, 1_000, 10_000),
    }),
    fc.record({ refill: magnitude(24), perUs: magnitude(37) }),
    fc.record({
      refill: fc.constantFrom(999_983, 1_000_003, 7_919, 86_399),
      perUs: fc.constantFrom(1_000_007, 333_667, 86_399_999_999, 999_999_999_989),
    }),
  )
  .map(withinRates);

/** From one a day to 9 per microsecond. */
function withinRates({ refill, perUs }: { refill: number; perUs: number }): {
  refill: number;
  perUs: number;
} {
  const fastest = Math.min(refill, 9 * perUs);
  return { refill: fastest, perUs: Math.min(perUs, fastest * DAY_US) };
}

/** In one case of three the capacity is what is gained in a period; in four of five `initial` is "full". */
const anyTokenBucketSpec: fc.Arbitrary<TokenBucketSpec> = fc
  .record({
    unit,
    mode,
    count: fc.option(count, { nil: undefined, freq: 2 }),
    rate,
    initial: fc.constantFrom("full" as const, "full" as const, "full" as const, "full" as const, "empty" as const),
    idleTtlUs: fc.option(magnitude(42), { nil: undefined, freq: 2 }),
  })
  .map(({ rate: { refill, perUs }, count: own, idleTtlUs, ...rest }) => {
    const capacity = own ?? Math.min(refill, MOST_UNITS);
    const ownTtlUs = rest.initial === "empty" ? idleTtlUs : undefined;
    return { kind: "token-bucket", ...rest, capacity, refill, perUs, idleTtlUs: ownTtlUs };
  });

/** Takes centuries to fill, so that a tick is longer than a microsecond. */
const slowTokenBucketSpec: fc.Arbitrary<TokenBucketSpec> = fc
  .record({
    unit,
    mode,
    capacity: fc.integer({ min: 200_000, max: MOST_UNITS }),
    refill: fc.integer({ min: 1, max: 3 }),
    perUs: fc.constantFrom(DAY_US, DAY_US - 1, DAY_US / 2),
  })
  .map((rest) => ({ kind: "token-bucket", ...rest, initial: "full", idleTtlUs: undefined }));

/** Refills its capacity in a period: there floats come close to whole numbers most often. */
export const plainTokenBucketSpec: fc.Arbitrary<TokenBucketSpec> = fc
  .record({
    unit,
    mode,
    capacity: fc.integer({ min: 10, max: 3_000 }),
    perUs: fc.constantFrom(SECOND_US, MINUTE_US, HOUR_US, DAY_US),
  })
  .map((rest) => ({ kind: "token-bucket", ...rest, refill: rest.capacity, initial: "full", idleTtlUs: undefined }));

export const tokenBucketSpec: fc.Arbitrary<TokenBucketSpec> = fc.oneof(
  { weight: 6, arbitrary: anyTokenBucketSpec },
  { weight: 1, arbitrary: slowTokenBucketSpec },
);

const windowUs = fc.oneof(
  fc.integer({ min: 1, max: 200 }),
  fc.constantFrom(1_000, 10_000, SECOND_US, MINUTE_US, HOUR_US, DAY_US),
  magnitude(41),
);

export const slidingWindowSpec: fc.Arbitrary<SlidingWindowSpec> = fc
  .record({
    unit,
    mode,
    limit: count,
    windowUs,
    grain: fc.constantFrom("default", "exact", "exact", 1, 2, 4, 10, 100),
  })
  .map(({ grain, ...rest }) => ({
    kind: "sliding-window" as const,
    ...rest,
    resolutionUs: grainUs(grain, rest.windowUs, rest.limit),
  }));

/** A key keeps no more groups, so a larger limit cannot be exact. */
const MOST_GROUPS = 4_096;

function grainUs(grain: string | number, ofUs: number, limit: number): number | undefined {
  if (grain === "default") return undefined;
  if (typeof grain === "number") return Math.ceil(ofUs / grain);
  return limit <= MOST_GROUPS ? 0 : Math.ceil(ofUs / MOST_GROUPS);
}

export const fixedWindowSpec: fc.Arbitrary<FixedWindowSpec> = fc
  .record({
    unit,
    mode,
    limit: count,
    windowUs,
    anchor: fc.constantFrom("clock" as const, "first-use" as const),
  })
  .map((rest) => ({ kind: "fixed-window" as const, ...rest }));

export const limitSpec: fc.Arbitrary<LimitSpec> = fc.oneof(tokenBucketSpec, slidingWindowSpec, fixedWindowSpec);

/** Small enough for a short scenario to fill them over and over. */
const denseCount = fc.integer({ min: 1, max: 6 });
const denseWindowUs = fc.integer({ min: 1, max: 60 });

export const denseSlidingWindowSpec: fc.Arbitrary<SlidingWindowSpec> = fc
  .record({ unit, mode, limit: denseCount, windowUs: denseWindowUs, grain: fc.constantFrom("exact", 1, 2, 5, 15) })
  .map(({ grain, ...rest }) => ({
    kind: "sliding-window",
    ...rest,
    resolutionUs: grainUs(grain, rest.windowUs, rest.limit),
  }));

export const denseFixedWindowSpec: fc.Arbitrary<FixedWindowSpec> = fc
  .record({
    unit,
    mode,
    limit: denseCount,
    windowUs: denseWindowUs,
    anchor: fc.constantFrom("clock" as const, "first-use" as const),
  })
  .map((rest) => ({ kind: "fixed-window", ...rest }));

const DAYS = { day: 1, week: 7, month: 30 } as const;

export const calendarWindowSpec: fc.Arbitrary<CalendarWindowSpec> = fc
  .record({
    unit,
    mode,
    limit: denseCount,
    window: fc.constantFrom("day" as const, "week" as const, "month" as const),
    timeZone: fc.constantFrom(
      ...(["UTC", "Asia/Kolkata", "Europe/Berlin", "America/New_York", "Pacific/Apia"] as const),
    ),
  })
  .map((rest) => ({ kind: "calendar-window", ...rest, windowUs: DAYS[rest.window] * DAY_US }));

/** Near changes of clocks, ends of months and years, and the day that Samoa left out. */
export const calendarStart: fc.Arbitrary<number> = fc
  .tuple(
    fc.constantFrom("2011-12-28", "2012-03-30", "2023-12-30", "2024-02-28", "2026-03-06", "2026-03-27", "2026-10-30"),
    fc.integer({ min: 0, max: 4 * DAY_US }),
  )
  .map(([date, us]) => Date.parse(date) * 1_000 + us);

/** Limits so large that the units of a few windows add up to more than the exact integers. */
export const largeSlidingWindowSpec: fc.Arbitrary<SlidingWindowSpec> = fc
  .tuple(denseSlidingWindowSpec, fc.integer({ min: 2 ** 50, max: 2 ** 52 }))
  .map(([spec, limit]) => ({ ...spec, limit }));
