/** No number of units. */
const NOT_WRITTEN = -1;

/**
 * What a store says about one call: numbers alone, an entry per limit, in the order of the pairs and of their limits.
 * Every store fills the same report; `limiter/decide.ts` turns it into a Decision.
 */
export class Report {
  /** Whether every enforcing limit conformed before the call. */
  admitted = true;
  /** Why the store could not be asked; then `admitted` is the failure policy's word, and there may be no entries. */
  degraded: string | undefined = undefined;
  /** What became of a key for which a store had no room: it shares a bucket, or cannot be counted and is denied. */
  overflow: "shared" | "denied" | undefined = undefined;
  /** When the failure policy denies without entries: microseconds after which asking again makes sense. */
  unavailableForUs = 0;
  /** Whether each limit conformed before the call. */
  readonly conforms: boolean[] = [];
  /** Whole units that count after the call, rounded up; above the capacity in debt. */
  readonly used: number[] = [];
  /** Microseconds until the same cost conforms, from the state after the call; 0 if it does, `Infinity` if never. */
  readonly waitUs: number[] = [];
  /** Whole units that still count at that moment. */
  readonly usedAfterWait: number[] = [];
  /** Microseconds until as good as new. */
  readonly resetUs: number[] = [];
  /** Whether a limit does not conform because a store had no room for the key; nothing where it had. */
  readonly lacksCapacity: boolean[] = [];

  /** Whether the store wrote entries: one that could not be asked may not. */
  get hasEntries(): boolean {
    return this.used.length > 0 && this.used[0] !== NOT_WRITTEN;
  }

  /** For another call. The entries' memory is kept, and a store writes them anew. */
  clear(): void {
    if (this.used.length > 0) this.used[0] = NOT_WRITTEN;
    this.admitted = true;
    this.degraded = undefined;
    this.overflow = undefined;
    this.unavailableForUs = 0;
    // To set a length, even to what it is, takes longer than all the rest.
    if (this.lacksCapacity.length > 0) this.lacksCapacity.length = 0;
  }
}
