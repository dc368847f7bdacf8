import { SECRET_WORDS } from "../local/key-hash.ts";

// The layout of the shared memory, in 32-bit words. A change here, or of what the words mean, needs a new
// LAYOUT_VERSION.

export const LAYOUT_VERSION = 16;
/** "toll", little-endian. */
export const MAGIC = 0x6c_6c_6f_74;

export const MAGIC_AT = 0;
export const VERSION_AT = 1;
export const MAX_KEYS_AT = 2;
export const OVERFLOW_AT = 3;
export const SECRET_AT = 4;
/** A pair of words: how many calls found no slot for their key. */
export const OVERFLOWED_AT: number = SECRET_AT + SECRET_WORDS;
/** A number: the wall time at which the monotonic clock of the process was 0, in milliseconds. */
export const CLOCK_AT: number = OVERFLOWED_AT + 2;
/** How many threads have attached so far. */
export const THREADS_AT: number = CLOCK_AT + 2;
/** How many words the memory has. */
export const LENGTH_AT: number = THREADS_AT + 1;

/** Whether a key was ever blocked: 0 or 1. Limiters read it before each call. */
export const BLOCKED_AT: number = LENGTH_AT + 1;

/** A row for each width: the width, and the word at which its table begins. */
export const TABLES_AT = 16;
export const MOST_TABLES = 64;
export const TABLE_ROW = 2;

/** How often a key has left a plan for another one. */
export const MOVES_AT: number = TABLES_AT + MOST_TABLES * TABLE_ROW;

/** The words of a cache line. WebAssembly memory begins with a cache line. */
const CACHE_LINE_WORDS = 16;

/** The first word at or after this one that begins a cache line. */
export function lineAt(word: number): number {
  return Math.ceil(word / CACHE_LINE_WORDS) * CACHE_LINE_WORDS;
}

/** A pair of words: how many idle keys were swept. */
export const SWEPT_AT: number = lineAt(MOVES_AT + 1);

/** How many resets have begun. */
export const RESETS_AT: number = SWEPT_AT + 2;
/** A row for each of the last resets: its number and a hash. */
export const RESET_ROWS_AT: number = lineAt(RESETS_AT + 1);
export const MOST_RESETS: number = 2 ** 14;
export const RESET_ROW = 2;

/** The header of a store of one thread, with so many resets: what follows tells threads of each other's plans. */
export function ownHeaderWords(resets: number): number {
  return clearRowsAt(resets) + clearsOf(resets) * RESET_ROW;
}

/** Where the resets of all keys of a limit begin: many resets of keys leave them. */
export function clearRowsAt(resets: number): number {
  return RESET_ROWS_AT + resets * RESET_ROW;
}

/** How many resets of all keys a store has that has so many resets of keys. */
export function clearsOf(resets: number): number {
  return Math.min(resets, 2 ** 12);
}

/** A row for each plan: a pair of words that names it, and three numbers. */
export const PLANS_AT: number = lineAt(ownHeaderWords(MOST_RESETS));
export const MOST_PLANS: number = 2 ** 16;
export const PLAN_ROW = 8;

/** A bit for each plan: whether a thread has ever inserted a key of it. */
export const INSERTED_AT: number = PLANS_AT + MOST_PLANS * PLAN_ROW;

/** A row for each plan whose counts carry over: the plan's number and one, and the word at which its text begins. */
export const DESCRIPTIONS_AT: number = INSERTED_AT + MOST_PLANS / 32;
export const MOST_DESCRIPTIONS: number = 2 ** 13;
export const DESCRIPTION_ROW = 2;

/** How many words of the texts are taken. */
export const TEXT_END_AT: number = DESCRIPTIONS_AT + MOST_DESCRIPTIONS * DESCRIPTION_ROW;
export const TEXTS_AT: number = TEXT_END_AT + 1;
export const TEXT_WORDS: number = 2 ** 19;

/** The first table begins here. */
export const HEADER_WORDS: number = lineAt(TEXTS_AT + TEXT_WORDS);

/** Word indexes have to stay small integers. */
export const MOST_BYTES: number = 2 ** 32;
