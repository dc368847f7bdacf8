import { describe, expect, it } from "vitest";
import { CraftedBucket } from "./kit/crafted-bucket.ts";
import { useScriptServer } from "./kit/script-server.ts";

/** Rates with coprime numbers, whose quotients come closest to whole numbers. */
const RATES = [
  [999_983, 999_999_999_989],
  [7_919, 86_399_999_999],
  [1_000_003, 86_399_999_999],
  [365, 86_399_999_999],
  [999_983, 1_000_007],
  [86_399, 333_667],
  [29, 59_999_999],
] as const;
const ROUNDS = 60;
const DAY_US = 86_400_000_000;

const started = useScriptServer();

/** The modular inverse of a value. */
function inverse(value: bigint, modulus: bigint): bigint {
  let [rest, next, x, y] = [value % modulus, modulus, 1n, 0n];
  while (next > 0n) [rest, next, x, y] = [next, rest % next, y, x - (rest / next) * y];
  return modulo(x, modulus);
}

function modulo(value: bigint, modulus: bigint): bigint {
  return ((value % modulus) + modulus) % modulus;
}

/** Moments that are whole numbers of ticks, although the product of floats is too small. */
function shortfalls({ scale, ticks, ticksPerPeriod }: CraftedBucket): number[] {
  const { periodUs, exact } = scale;
  if (exact) return [];
  const moments = Array.from({ length: 64 }, (_, i) => (periodUs * i) / 64).filter(Number.isInteger);
  return moments.filter((us) => {
    const whole = (BigInt(us) * ticksPerPeriod) / BigInt(periodUs);
    return BigInt(Math.floor(us * ticks.perUs)) < whole;
  });
}

describe.each(RATES)("explain of a bucket of %i units in %i µs", (refill, perUs) => {
  const bucket = new CraftedBucket(1_000_000, refill, perUs);
  const { ticks, ticksPerPeriod } = bucket;
  const periodUs = BigInt(bucket.scale.periodUs);

  it("explain equals the kernel where a microsecond is close to a tick", async () => {
    expect(ticks.exact).toBe(false);
    const back = inverse(ticksPerPeriod, periodUs);
    const found: string[] = [];
    for (let i = 1n; i <= ROUNDS; i += 1n) {
      for (const part of [i, -i]) {
        const nowUs = ticks.originUs + Number(modulo(part * back, periodUs));
        // In use by a tick that is either just reached or not.
        for (const more of [-1, 0, 1]) {
          found.push(...(await bucket.differences(started.server, nowUs, ticks.at(nowUs) + more)));
        }
      }
    }
    expect(found).toEqual([]);
  });
});

describe("explain of a bucket whose product of floats is inexact", () => {
  it("explain equals the kernel where a microsecond is a tick, but the product of floats is not", async () => {
    const found: string[] = [];
    let cases = 0;
    for (let units = 10; units < 700; units += 1) {
      const bucket = new CraftedBucket(units, units, DAY_US);
      for (const us of shortfalls(bucket)) {
        cases += 1;
        const nowUs = bucket.ticks.originUs + us;
        found.push(...(await bucket.differences(started.server, nowUs, bucket.ticks.at(nowUs))));
      }
    }
    expect(cases).toBeGreaterThan(100);
    expect(found).toEqual([]);
  });
});
