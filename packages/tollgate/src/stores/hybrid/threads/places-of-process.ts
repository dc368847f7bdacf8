import type { NodeMoment } from "../leases/held.ts";
import {
  FREE,
  KNOWN_AT,
  LENT_AT,
  LIVE,
  PLACE_WORDS,
  PLACES,
  PLACES_AT,
  stateOf,
  WORDS_OF_PLACES,
  WRITING,
  wrappedMs,
} from "./layout.ts";
import { LeasePlace } from "./lease-place.ts";
import { NOWHERE } from "./leased-keys.ts";
import type { HeldContext } from "./shared-held.ts";
import { SharedPlacesLease, wordOf } from "./shared-places-lease.ts";

/** A new lease of places. */
interface NewLease {
  /** Which number of the process it has. */
  readonly number: number;
  readonly free: number;
  readonly held: number;
  readonly mayLend: boolean;
  readonly asked: NodeMoment;
  /** For how long after that it lasts. */
  readonly lastsUs: number;
}

/** The leases of places that a process has for one key, in memory that its threads share. Each has such an object. */
export class PlacesOfProcess {
  readonly #context: HeldContext;
  readonly #low: number;
  readonly #high: number;
  /** The first word of the key. */
  #key: number = NOWHERE;
  #slots: readonly LeasePlace[] = [];
  /** For each slot the tag that this thread saw last, and the lease if it is this key's. */
  #tags: number[] = [];
  #seen: (SharedPlacesLease | undefined)[] = [];

  constructor(context: HeldContext, low: number, high: number) {
    this.#context = context;
    this.#low = low;
    this.#high = high;
    this.#find();
  }

  /** The leases, the newest last. */
  get all(): readonly SharedPlacesLease[] {
    const all = this.#slots.map((_, i) => this.#lease(i)).filter((lease) => lease !== undefined);
    return all.length === 2 && all[0]!.bornUs > all[1]!.bornUs ? all.toReversed() : all;
  }

  /** Finds memory for the key. False if other keys have all of it. */
  prepare(us: number): boolean {
    return this.#find() || this.#use(this.#context.keys.findOrAdd(this.#low, this.#high, us));
  }

  /** Keeps the memory of the key for a while. */
  noteUse(us: number): void {
    if (this.#find()) this.#context.keys.noteUse(this.#key, us);
  }

  /** Whether there is a place for a new lease. That of a thread that is writing may be taken: it may be dead. */
  get hasSlot(): boolean {
    return this.#slots.some(({ tag }) => stateOf(tag) !== LIVE);
  }

  /** @returns the new lease; `undefined` if there is no place for it. */
  put({ number, free, held, mayLend, asked, lastsUs }: NewLease): SharedPlacesLease | undefined {
    if (!this.prepare(asked.us)) return undefined;
    const [lastUs, lastWallUs] = [asked.us + lastsUs, asked.wallUs + lastsUs];
    // The number may change, so it is one of the words. In place of the script's end there is the lease's beginning.
    const lease = { endsUs: asked.us, number: 0, lastUs, lastWallUs, low: this.#low, high: this.#high };
    for (const state of [FREE, WRITING]) {
      for (const [i, slot] of this.#slots.entries()) {
        if (stateOf(slot.tag) !== state) continue;
        const tag = slot.put(lease, [wordOf(free + held, free, !mayLend), number, 0, 0]);
        if (tag === undefined) continue;
        this.#tags[i] = tag;
        this.#seen[i] = new SharedPlacesLease(slot, tag, lease);
        this.noteKnown(this.#seen[i], free + held);
        this.noteLent(asked.us);
        return this.#seen[i];
      }
    }
    return undefined;
  }

  /** Frees places for leases that have ended, of another key that had these words before. */
  closeOthers(us: number, wallUs: number): void {
    for (const [i, slot] of this.#slots.entries()) {
      const { tag } = slot;
      const lease = this.#lease(i) === undefined ? slot.read(tag) : undefined;
      if (lease !== undefined && !new SharedPlacesLease(slot, tag, lease).lastsAt(us, wallUs)) slot.close(tag);
    }
  }

  /** How many places of a lease the script counts, as far as the threads know. It is a hint. */
  knownOf(lease: SharedPlacesLease): number {
    return this.#context.memory.words[this.#knownAt(lease)] ?? 0;
  }

  noteKnown(lease: SharedPlacesLease, places: number): void {
    const at = this.#knownAt(lease);
    if (at >= 0) this.#context.memory.words[at] = places;
  }

  /** When a call got a place last, as far as the threads know. */
  lentAtUs(us: number): number {
    if (this.#key === NOWHERE) return us;
    return us - 1_000 * ((wrappedMs(us) - this.#context.memory.words[this.#key + LENT_AT]!) | 0);
  }

  noteLent(us: number): void {
    this.#context.memory.words[this.#key + LENT_AT] = wrappedMs(us);
  }

  #knownAt(lease: SharedPlacesLease): number {
    const i = this.#seen.indexOf(lease);
    return i < 0 ? NOWHERE : this.#key + KNOWN_AT + i;
  }

  #find(): boolean {
    return this.#use(this.#context.keys.find(this.#low, this.#high));
  }

  #use(key: number): boolean {
    if (key === this.#key) return key !== NOWHERE;
    this.#key = key;
    const at = Array.from({ length: key === NOWHERE ? 0 : PLACES }, (_, i) => key + PLACES_AT + i * PLACE_WORDS);
    this.#slots = at.map((word) => new LeasePlace(this.#context.memory, word, WORDS_OF_PLACES));
    this.#tags = at.map(() => 0);
    this.#seen = at.map(() => undefined);
    return key !== NOWHERE;
  }

  /** The lease of this key in a slot. */
  #lease(i: number): SharedPlacesLease | undefined {
    const slot = this.#slots[i]!;
    const { tag } = slot;
    if (tag !== this.#tags[i]) {
      const lease = slot.read(tag);
      const isOwn = lease !== undefined && lease.low === this.#low && lease.high === this.#high;
      this.#tags[i] = tag;
      this.#seen[i] = isOwn ? new SharedPlacesLease(slot, tag, lease) : undefined;
    }
    return this.#seen[i];
  }
}
