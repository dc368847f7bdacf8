/** A comment or a string of a source file, as it stands there. */
export interface Piece {
  readonly kind: "line-comment" | "block-comment" | "string";
  readonly text: string;
  /** Offset in the source. */
  readonly at: number;
}

export type Language = "typescript" | "shell" | "lua";

const TOKEN = {
  typescript:
    /(?<line>\/\/[^\n]*)|(?<block>\/\*[\s\S]*?\*\/)|(?<string>"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*')|(?<space>\s+)|(?<word>[\w$]+)|(?<other>[\s\S])/uy,
  shell:
    /(?<line>(?<=^|\s)#[^\n]*)|(?<block>(?!))|(?<string>"(?:[^"\\]|\\[\s\S])*"|'[^']*')|(?<space>\s+)|(?<word>[\w$#]+)|(?<other>[\s\S])/uy,
  lua: /(?<line>--[^\n]*)|(?<block>(?!))|(?<string>"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*')|(?<space>\s+)|(?<word>\w+)|(?<other>[\s\S])/uy,
} as const satisfies Record<Language, RegExp>;

const TEMPLATE = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/uy;
const REGEX = /\/(?:[^/\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])+\/[a-z]*/uy;
/** After these words a slash begins a regular expression. */
const BEFORE_REGEX = /^(?:return|typeof|case|in|of|delete|void|throw|new|await|yield|else|do)$/u;
const VALUE_END = /[\w$)\]}"'`]$/u;

/** Finds the comments and strings of source code. Code, regular expressions among it, is skipped. */
export function piecesOf(source: string, language: Language): Piece[] {
  return new Scanner(source, language).scan();
}

class Scanner {
  readonly #source: string;
  readonly #language: Language;
  readonly #pieces: Piece[] = [];
  /** How many braces are open in each `${` around. */
  readonly #braces: number[] = [];
  #at = 0;
  /** The last token that is neither space nor comment. */
  #last = "";

  constructor(source: string, language: Language) {
    this.#source = source;
    this.#language = language;
  }

  scan(): Piece[] {
    if (this.#source.startsWith("#!")) this.#at = this.#source.indexOf("\n");
    while (this.#at >= 0 && this.#at < this.#source.length) this.#next();
    return this.#pieces;
  }

  #next(): void {
    if (this.#language === "typescript" && this.#regex()) return;
    const token = TOKEN[this.#language];
    token.lastIndex = this.#at;
    const groups = token.exec(this.#source)?.groups ?? {};
    if (groups["line"] !== undefined) this.#take("line-comment", groups["line"]);
    else if (groups["block"] !== undefined) this.#take("block-comment", groups["block"]);
    else if (groups["string"] !== undefined) {
      this.#take("string", groups["string"]);
      this.#last = '"';
    } else if (groups["space"] !== undefined) this.#at += groups["space"].length;
    else this.#code(groups["word"] ?? groups["other"] ?? "");
  }

  #code(text: string): void {
    this.#at += text.length;
    this.#last = text;
    if (this.#language !== "typescript") return;
    const depth = this.#braces.length - 1;
    if (text === "`") this.#template();
    else if (text === "{" && depth >= 0) this.#braces[depth]! += 1;
    else if (text === "}" && depth >= 0) {
      if (this.#braces[depth] === 0) {
        this.#braces.pop();
        this.#template();
      } else this.#braces[depth]! -= 1;
    }
  }

  /** Reads a template up to its end or its next `${`. */
  #template(): void {
    TEMPLATE.lastIndex = this.#at;
    this.#take("string", TEMPLATE.exec(this.#source)?.[0] ?? "");
    if (this.#source[this.#at] === "$") {
      this.#at += 2;
      this.#braces.push(0);
      this.#last = "{";
    } else {
      this.#at += 1;
      this.#last = "`";
    }
  }

  #regex(): boolean {
    if (this.#source[this.#at] !== "/") return false;
    if (VALUE_END.test(this.#last) && !BEFORE_REGEX.test(this.#last)) return false;
    if (this.#source[this.#at + 1] === "/" || this.#source[this.#at + 1] === "*") return false;
    REGEX.lastIndex = this.#at;
    const found = REGEX.exec(this.#source)?.[0];
    if (found === undefined) return false;
    this.#at += found.length;
    this.#last = "`";
    return true;
  }

  #take(kind: Piece["kind"], text: string): void {
    if (text !== "") this.#pieces.push({ kind, text, at: this.#at });
    this.#at += text.length;
  }
}
