/** Deeper than any limits file, and far from the end of the stack. */
const MOST_FLOW_LEVELS = 64;
/** Each level of a block is at least one column to the right of the one around it, or one indicator. */
const MOST_COLUMNS = 256;

/** The next lexeme is the text of a plain scalar or of a block scalar. */
const SCALAR_FOLLOWS = "\x1f";
/** What the lexer adds: it is not in the text. */
const MARKS: ReadonlySet<string> = new Set(["\x02", "\x18", SCALAR_FOLLOWS]);

/**
 * Where a YAML text has more levels than the package `yaml` may be given: its parser is recursive. Near the end of the
 * stack, V8 ends the process if it has to compile a regular expression. The lexer is not recursive.
 */
export function deepLevelIn(lexemes: Iterable<string>): number | undefined {
  let at = 0;
  let flow = 0;
  let columns = 0;
  let isText = false;
  for (const lexeme of lexemes) {
    const isScalar: boolean = isText;
    isText = lexeme === SCALAR_FOLLOWS && !isScalar;
    if (!isScalar) {
      flow = flowAfter(lexeme, flow);
      columns = columnsAfter(lexeme, columns);
    }
    if (flow > MOST_FLOW_LEVELS || columns > MOST_COLUMNS) return at;
    if (isScalar || !MARKS.has(lexeme)) at += lexeme.length;
  }
  return undefined;
}

function flowAfter(lexeme: string, flow: number): number {
  if (lexeme === "[" || lexeme === "{") return flow + 1;
  return lexeme === "]" || lexeme === "}" ? Math.max(0, flow - 1) : flow;
}

/** The columns and indicators of a line, without its values. */
function columnsAfter(lexeme: string, columns: number): number {
  if (lexeme.endsWith("\n")) return 0;
  const isIndicator = lexeme === "-" || lexeme === "?" || lexeme === ":";
  return isIndicator || lexeme.startsWith(" ") ? columns + lexeme.length : columns;
}
