/** Decisions that come out wrong are not measured. */
export function expectCount(what: string, count: number, expected: number): void {
  if (count !== expected) throw new Error(`${what}: expected ${expected}, got ${count}`);
}
