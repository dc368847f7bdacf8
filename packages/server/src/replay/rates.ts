/** A rate of refill as people write it. */
export interface Rate {
  readonly refill: number;
  readonly per: "1s" | "1m" | "1h" | "1d";
  readonly perMs: number;
}

const LADDER: readonly (readonly [per: Rate["per"], perMs: number, refills: readonly number[]])[] = [
  ["1d", 86_400_000, [10]],
  ["1h", 3_600_000, [1, 2, 5, 10, 20, 30]],
  ["1m", 60_000, [1, 2, 5, 10, 20, 30]],
  ["1s", 1_000, [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000]],
];

/** The rates that are tried, from the slowest to the fastest: steps of about two, in numbers that people choose. */
export const RATES: readonly Rate[] = LADDER.flatMap(([per, perMs, refills]) =>
  refills.map((refill) => ({ refill, per, perMs })),
);

export const RATE_COUNT: number = RATES.length;

/** Units a microsecond, by rate. */
export const UNITS_PER_US: Float64Array = Float64Array.from(RATES, ({ refill, perMs }) => refill / (perMs * 1_000));
