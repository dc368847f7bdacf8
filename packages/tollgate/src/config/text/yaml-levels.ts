/** Deeper than any limits file, and far from the end of the stack. */
const MOST_FLOW_LEVELS = 64;
/** Columns of indentation, and indicators of nested values. */
const MOST_STEPS = 256;

/** The next lexeme is the text of a plain scalar or of a block scalar. */
const SCALAR_FOLLOWS = "\x1f";
/** What the lexer adds: it is not in the text. */
const MARKS: ReadonlySet<string> = new Set(["\x02", "\x18", SCALAR_FOLLOWS]);

/**
 * Where a YAML text has more levels than the package `yaml` may be given: its parser is recursive. Near the end of the
 * stack, V8 ends the process if it has to compile a regular expression. The lexer is not recursive.
 */
export function deepLevelIn(lexemes: Iterable<string>): number | undefined {
  const levels = new Levels();
  let at = 0;
  let isText = false;
  for (const lexeme of lexemes) {
    const isScalar: boolean = isText;
    isText = lexeme === SCALAR_FOLLOWS && !isScalar;
    if (!isScalar) levels.add(lexeme);
    if (levels.areTooDeep) return at;
    if (isScalar || !MARKS.has(lexeme)) at += lexeme.length;
  }
  return undefined;
}

/**
 * The values in which a lexeme may be, at most. In a block, each value is at least one column to the right of the one
 * around it, or one indicator. In brackets, `a: b: c` nests up to a comma.
 */
class Levels {
  /** The steps into the block, then those in each pair of brackets. */
  readonly #steps = [0];
  #sum = 0;
  #isLineStart = true;

  get areTooDeep(): boolean {
    return this.#steps.length > MOST_FLOW_LEVELS + 1 || this.#sum > MOST_STEPS;
  }

  add(lexeme: string): void {
    const isInBlock = this.#steps.length === 1;
    switch (lexeme) {
      case "[":
      case "{":
        this.#steps.push(0);
        break;
      case "]":
      case "}":
        if (!isInBlock) this.#sum -= this.#steps.pop() ?? 0;
        break;
      case "-":
      case "?":
      case ":":
        this.#step(1);
        break;
      case ",":
        this.#restart();
        break;
      default:
        if (isInBlock && lexeme.endsWith("\n")) this.#restart();
        else if (isInBlock && this.#isLineStart && lexeme.startsWith(" ")) this.#step(lexeme.length);
    }
    this.#isLineStart = lexeme.endsWith("\n");
  }

  #step(steps: number): void {
    this.#steps.push((this.#steps.pop() ?? 0) + steps);
    this.#sum += steps;
  }

  #restart(): void {
    this.#step(-(this.#steps.at(-1) ?? 0));
  }
}
