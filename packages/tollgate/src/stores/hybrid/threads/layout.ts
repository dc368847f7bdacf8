// What the words of a key in a `LeaseArea` mean. Two words of the table hold a number, and a pair is two words that
// threads swap together. A change here needs a new LAYOUT_VERSION of the shared store.

/** Words of the header. */
export const HOLDER_AT = 0;
export const NEXT_NUMBER_AT = 1;
export const THREADS_AT = 2;

/** Plans of more limits are leased by each thread for itself. */
export const MOST_LIMITS = 4;
/** The most units of a limit in one lease. */
export const MOST_UNITS: number = 2 ** 31 - 1;
/** Limits of more places are leased by each thread for itself. */
export const MOST_PLACES: number = 2 ** 15 - 1;

/** A pair: the hash of the key that has these words; zeros if no key ever had them. */
export const OWNER_AT = 0;
/** A pair: when the claim of the thread that asks the server ends, in milliseconds, and the thread. */
export const CLAIM_AT = 2;
/** When the server was last asked for the key, in milliseconds. */
export const USED_AT = 4;
/** Odd while a thread writes the denial. */
export const DENIAL_VERSION_AT = 5;
/** Numbers: until when calls are denied, and their costs. */
export const DENIAL_AT = 6;
/** A pair: the hash of the key of the denial. */
export const DENIAL_OWNER_AT: number = DENIAL_AT + 2 + 2 * MOST_LIMITS;
/** Numbers: the demand of all threads (`leases/demand.ts`). The first one is 0 until a thread has noted it. */
export const SIZING_AT: number = DENIAL_OWNER_AT + 2;
export const SIZING_NUMBERS: number = 2 + 4 * MOST_LIMITS;

/** Where the places for leases begin. */
export const PLACES_AT = 64;
export const PLACES = 2;
export const PLACE_WORDS = 32;

/** A place begins with a pair for each limit: the units that are left, and the tag. */
export const UNIT_WORDS = 2;
/** Then follow pairs for what else is known of the lease: a word, and the tag. */
export const FACTS_AT: number = MOST_LIMITS * UNIT_WORDS;

// A lease of places has four words in the place of units, and words of its own.

/** How many places it has, how many of them are free, and whether it is retired. */
export const PLACES_WORD = 0;
/** Which number of the process it has, from 1 on. */
export const NUMBER_WORD = 1;
/** Whether a thread asks about it, or which other number it may have. */
export const ASK_WORD = 2;
/** By how many milliseconds it was extended. */
export const EXTENSION_WORD = 3;
export const WORDS_OF_PLACES = 4;
/** Words of the key, which are hints. When a call got a place last, in milliseconds. */
export const LENT_AT = 5;
/** For each lease how many places the script counts. */
export const KNOWN_AT = 6;

// The tag of a place counts its leases. Its lowest two bits say in which state it is, in this order.

const STATES = 4;
export const FREE = 0;
/** A thread writes a lease, or died doing so. */
export const WRITING = 1;
/** Threads may spend the lease. */
export const LIVE = 2;

export function stateOf(tag: number): number {
  return tag & (STATES - 1);
}

/** The first tag after this lease. */
export function nextFree(tag: number): number {
  return ((tag & -STATES) + STATES) | 0;
}

/** The time of words that count milliseconds. They start again every 49 days. */
export function wrappedMs(us: number): number {
  return Math.floor(us / 1_000) | 0;
}
