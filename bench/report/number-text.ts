/** As in 9.4, 57.3, 1,731. */
export function numberText(value: number): string {
  return value.toLocaleString("en", value < 100 ? { minimumFractionDigits: 1, maximumFractionDigits: 1 } : WHOLE);
}

const WHOLE = { maximumFractionDigits: 0 } as const;
