import { SECRET_WORDS } from "../local/key-hash.ts";

// Where everything lies in the shared memory, in 32-bit words. Whoever changes anything here, or what the words mean, changes the version.

export const LAYOUT_VERSION = 2;
/** "toll", as little-endian words have it. */
export const MAGIC = 0x6c_6c_6f_74;

export const MAGIC_AT = 0;
export const VERSION_AT = 1;
export const MAX_KEYS_AT = 2;
export const OVERFLOW_AT = 3;
export const SECRET_AT = 4;
/** A pair: the calls whose key found no room. */
export const OVERFLOWED_AT: number = SECRET_AT + SECRET_WORDS;
/** A number: what the clock that all threads share is behind the wall's time, in milliseconds. */
export const CLOCK_AT: number = OVERFLOWED_AT + 2;
/** How many threads have attached. */
export const THREADS_AT: number = CLOCK_AT + 2;
/** How many words there are. */
export const LENGTH_AT: number = THREADS_AT + 1;

/** A row for each width: pairs of the width and of where its table begins, in lines. */
export const TABLES_AT = 16;
export const MOST_TABLES = 64;
export const TABLE_ROW = 2;

/** A row for each plan: a pair that names it, and three numbers. */
export const PLANS_AT: number = TABLES_AT + MOST_TABLES * TABLE_ROW;
export const MOST_PLANS: number = 2 ** 16;
export const PLAN_ROW = 8;

/** The words of a line of the processor's cache. Memory of WebAssembly begins with one. */
const LINE = 16;

/** Where a line begins, at this word or after it. */
export function lineAt(word: number): number {
  return Math.ceil(word / LINE) * LINE;
}

/** Where tables begin. */
export const HEADER_WORDS: number = lineAt(PLANS_AT + MOST_PLANS * PLAN_ROW);

/** Indexes of words have to stay small integers. */
export const MOST_BYTES: number = 2 ** 32;
