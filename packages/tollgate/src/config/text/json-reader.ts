import { show } from "../../core/errors.ts";
import { type Entry, MOST_LEVELS, type ReadText, type SourceNode } from "./source-node.ts";

/** Reads JSON (RFC 8259), and remembers where each value is. `JSON.parse` does not tell. */
export function readJson(text: string): ReadText {
  try {
    return { root: new JsonReader(text).readAll() };
  } catch (error) {
    if (!(error instanceof Unexpected)) throw error;
    return { mistakes: [{ at: error.at, message: error.message }] };
  }
}

class Unexpected extends Error {
  readonly at: number;

  constructor(at: number, expected: string, got: string) {
    super(`expected ${expected}, got ${got}`);
    this.at = at;
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /[A-Za-z]+/y;
const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);
const ESCAPE = /\\(?:u[0-9A-Fa-f]{4}|[\s\S])/g;
const KNOWN_ESCAPE = /^\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})$/;
const BACKSLASH = 0x5c;
const QUOTE = 0x22;
const FIRST_PRINTABLE = 0x20;

class JsonReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readAll(): SourceNode {
    this.#skipSpace();
    const root = this.#value(0);
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#unexpected("the end of the file");
    return root;
  }

  #value(level: number): SourceNode {
    const at = this.#at;
    if (level > MOST_LEVELS) throw new Unexpected(at, `at most ${MOST_LEVELS} levels`, "more");
    const first = this.#text[at];
    if (first === "{") return this.#map(at, level);
    if (first === "[") return this.#list(at, level);
    if (first === '"') return { kind: "scalar", at, value: this.#string() };
    if (first === "-" || (first !== undefined && first >= "0" && first <= "9")) return this.#number(at);
    WORD.lastIndex = at;
    const [word = ""] = WORD.exec(this.#text) ?? [];
    const value = WORDS.get(word);
    if (value === undefined) throw this.#unexpected("a value");
    this.#at += word.length;
    return { kind: "scalar", at, value };
  }

  #number(at: number): SourceNode {
    NUMBER.lastIndex = at;
    const [digits] = NUMBER.exec(this.#text) ?? [];
    if (digits === undefined) throw this.#unexpected("a number");
    this.#at += digits.length;
    return { kind: "scalar", at, value: Number(digits) };
  }

  #map(at: number, level: number): SourceNode {
    const entries: Entry[] = [];
    this.#at += 1;
    this.#skipSpace();
    if (this.#skip("}")) return { kind: "map", at, entries };
    for (;;) {
      const keyAt = this.#at;
      if (this.#text[keyAt] !== '"') throw this.#unexpected("a key in double quotes");
      const key = this.#string();
      this.#skipSpace();
      if (!this.#skip(":")) throw this.#unexpected('":"');
      this.#skipSpace();
      entries.push({ key, keyAt, value: this.#value(level + 1) });
      this.#skipSpace();
      if (this.#skip("}")) return { kind: "map", at, entries };
      if (!this.#skip(",")) throw this.#unexpected('"," or "}"');
      this.#skipSpace();
    }
  }

  #list(at: number, level: number): SourceNode {
    const items: SourceNode[] = [];
    this.#at += 1;
    this.#skipSpace();
    if (this.#skip("]")) return { kind: "list", at, items };
    for (;;) {
      items.push(this.#value(level + 1));
      this.#skipSpace();
      if (this.#skip("]")) return { kind: "list", at, items };
      if (!this.#skip(",")) throw this.#unexpected('"," or "]"');
      this.#skipSpace();
    }
  }

  #string(): string {
    const start = this.#at;
    let end = start + 1;
    for (; ; end += 1) {
      const code = this.#text.charCodeAt(end);
      if (code === QUOTE) break;
      if (code === BACKSLASH) end += 1;
      // Not a number at the end of the text.
      if (!(code >= FIRST_PRINTABLE)) {
        throw new Unexpected(
          end < this.#text.length ? end : start,
          "a text that ends with a double quote",
          this.#shown(end),
        );
      }
    }
    this.#at = end + 1;
    const literal = this.#text.slice(start, end + 1);
    for (const [sequence] of literal.matchAll(ESCAPE)) {
      if (!KNOWN_ESCAPE.test(sequence)) throw new Unexpected(start, "escapes that JSON knows", show(sequence));
    }
    return JSON.parse(literal) as string;
  }

  #skip(mark: string): boolean {
    if (this.#text[this.#at] !== mark) return false;
    this.#at += 1;
    return true;
  }

  #skipSpace(): void {
    while (" \t\r\n".includes(this.#text[this.#at] ?? "x")) this.#at += 1;
  }

  #unexpected(expected: string): Unexpected {
    return new Unexpected(this.#at, expected, this.#shown(this.#at));
  }

  #shown(at: number): string {
    return at < this.#text.length ? show(this.#text.slice(at, at + 1)) : "the end of the file";
  }
}
