/** A mistake in a limits file: where it is, what was expected and what came. */
export interface Mistake {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  readonly message: string;
}

/** A mistake that stands at no place of its file. */
export function mistakeIn(file: string, message: string): Mistake {
  return { file, line: 1, column: 1, message };
}

/** A mistake as compilers write it, so that editors find it. */
export function mistakeLine({ file, line, column, message }: Mistake): string {
  return `${file}:${line}:${column}: ${message}`;
}

/** A mistake as the log has it: without the keys that limits name, which may be API keys. Line and column find them. */
export function loggedMistakeLine(mistake: Mistake): string {
  return mistakeLine({ ...mistake, message: withoutKeys(mistake.message) });
}

/** What follows `keys` in the path of a mistake, up to what was expected. */
const NAMED_KEY = /^(.+?\.keys)\..*(?=: expected )/s;
/** What came in place of a list of keys, or twice in it. */
const KEYS_THEMSELVES = /^(.+?\.keys: expected .*?), got .*$/s;

function withoutKeys(message: string): string {
  return message.replace(KEYS_THEMSELVES, "$1").replace(NAMED_KEY, "$1");
}
