/** A contender that decides wrongly is not measured. */
export function expectAdmitted(admitted: number, expected: number): void {
  if (admitted !== expected) throw new Error(`expected ${expected} calls to be admitted, but ${admitted} were`);
}
