/** As in 137, 34.8, 0.0726: a number in millions, to three digits. */
export function millionText(value: number): string {
  const millions = value / 1e6;
  return millions >= 1_000 ? millions.toFixed(0) : millions.toPrecision(3);
}
