/** A mistake in a limits file: where it is, what was expected and what came. */
export interface Mistake {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  readonly message: string;
}

/** A mistake as compilers write it, so that editors find it. */
export function mistakeLine({ file, line, column, message }: Mistake): string {
  return `${file}:${line}:${column}: ${message}`;
}
