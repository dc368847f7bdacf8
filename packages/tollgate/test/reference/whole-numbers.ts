/** Arithmetic on whole numbers of any size, rounding towards minus infinity and plus infinity, never towards zero. */

export function floorDiv(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return quotient * divisor > dividend ? quotient - 1n : quotient;
}

export function ceilDiv(dividend: bigint, divisor: bigint): bigint {
  return -floorDiv(-dividend, divisor);
}

export function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

export function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestCommonDivisor(b, a % b);
}
