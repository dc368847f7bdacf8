/** One deliberate mistake in a kernel, which the tests have to notice. */
export interface Mutant {
  readonly name: string;
  /** In packages/tollgate/src/algorithms. */
  readonly file: string;
  /** Text that occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** What goes wrong with it. */
  readonly why: string;
}
