import type { ThreadMemory } from "../../../core/lease-area.ts";
import type { LeaseGrant, LeaseReport } from "../../redis/script/lease.ts";
import { DRIFT, type Held, type HeldDenial, type NodeMoment, type Reserve } from "../leases/held.ts";
import { LOOK_US, type NodeTime } from "../leases/node-time.ts";
import type { LeaseStats } from "../stats.ts";
import type { AskClaim } from "./ask-claim.ts";
import { FREE, PLACE_WORDS, PLACES, PLACES_AT, SIZING_AT, SIZING_NUMBERS, stateOf, WRITING } from "./layout.ts";
import { LeasePlace, type PlacedLease } from "./lease-place.ts";
import { type LeasedKeys, NOWHERE } from "./leased-keys.ts";
import { lasts, type SeenLease, spendOf } from "./seen-lease.ts";
import { SharedDenial } from "./shared-denial.ts";

/** What the keys of a thread share. */
export interface HeldContext {
  readonly memory: ThreadMemory;
  readonly keys: LeasedKeys;
  readonly claim: AskClaim;
  readonly stats: LeaseStats;
  /** Calls back soon. */
  readonly later: (work: () => void) => void;
}

/** What a process holds of one key, in memory that its threads share. Each thread has such an object. */
export class SharedHeld implements Held {
  /** See `Held`. Spending does not write it: the threads would contend for one more word. */
  spentUs: number = Number.NEGATIVE_INFINITY;
  readonly #context: HeldContext;
  readonly #limits: number;
  readonly #low: number;
  readonly #high: number;
  readonly #time: NodeTime;
  readonly #denial: SharedDenial;
  /** Whether there was no memory for the key when a call needed it last. */
  #lacksMemory = false;
  /** The first word of the key. */
  #key: number = NOWHERE;
  #places: readonly LeasePlace[] = [];
  /** For each place the tag that this thread saw last, and the lease if it is this key's. */
  #tags: number[] = [];
  #seen: (SeenLease | undefined)[] = [];

  constructor(context: HeldContext, limits: number, low: number, high: number, time: NodeTime) {
    this.#context = context;
    this.#time = time;
    this.#limits = limits;
    this.#low = low;
    this.#high = high;
    this.#denial = new SharedDenial(context.memory, limits, low, high);
    this.#find();
  }

  get count(): number {
    let count = 0;
    for (let i = 0; i < this.#places.length; i += 1) if (this.#lease(i) !== undefined) count += 1;
    return count;
  }

  get demand(): Float64Array | undefined {
    // The words may have come to another key.
    if (!this.#find()) return undefined;
    const from = (this.#key + SIZING_AT) / 2;
    return this.#context.memory.numbers.subarray(from, from + SIZING_NUMBERS);
  }

  spendOfPlenty(costs: readonly number[], { low, marginUs }: Reserve, us: number, wallUs: number): boolean {
    const first = this.#lease(0);
    const second = this.#lease(1);
    const lease = first === undefined || first.isSpent ? second : first;
    // The older one of two comes first.
    const isOnly = lease === second || second === undefined || second.isSpent;
    if (lease === undefined || !(isOnly && lasts(lease, us + marginUs, wallUs))) return false;
    for (let limit = 0; limit < costs.length; limit += 1) {
      if (lease.place.leftAbout(limit, lease.tag) - costs[limit]! <= low[limit]!) return false;
    }
    return lease.place.spend(costs, lease.tag);
  }

  /** Spends a cost of one lease: of the older one, if that covers it. */
  spend(costs: readonly number[], us: number, wallUs: number): boolean {
    if (this.#key === NOWHERE && !this.#find()) return false;
    const first = this.#lease(0);
    const second = this.#lease(1);
    if (second === undefined) return first !== undefined && spendOf(first, costs, us, wallUs);
    if (first === undefined) return spendOf(second, costs, us, wallUs);
    const isInOrder = first.lastUs <= second.lastUs;
    return (
      spendOf(isInOrder ? first : second, costs, us, wallUs) || spendOf(isInOrder ? second : first, costs, us, wallUs)
    );
  }

  units(limit: number, us: number, wallUs: number): number {
    let units = 0;
    for (let i = 0; i < this.#places.length; i += 1) {
      const lease = this.#lease(i);
      if (lease !== undefined && lasts(lease, us, wallUs)) units += lease.place.left(limit, lease.tag);
    }
    return units;
  }

  lastsUs(us: number, wallUs: number): number {
    const rests = this.#leases().map(({ lastUs, lastWallUs }) => Math.min(lastUs - us, lastWallUs - wallUs));
    return Math.max(0, ...rests);
  }

  known(limit: number): number {
    return this.#leases().reduce((sum, { known }) => sum + known[limit]!, 0);
  }

  isLow({ low, marginUs }: Reserve, us: number): boolean {
    let lastUs = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < this.#places.length; i += 1) lastUs = Math.max(lastUs, this.#lease(i)?.lastUs ?? lastUs);
    if (lastUs - us < marginUs) return true;
    for (let limit = 0; limit < this.#limits; limit += 1) {
      let left = 0;
      for (let i = 0; i < this.#places.length; i += 1) {
        const lease = this.#lease(i);
        if (lease !== undefined) left += lease.place.leftAbout(limit, lease.tag);
      }
      if (left <= low[limit]!) return true;
    }
    return false;
  }

  add({ endsUs, lastsUs, units }: LeaseGrant, number: number, asked: NodeMoment): boolean {
    if (!this.prepare(asked.us)) return false;
    const { stats, keys } = this.#context;
    keys.noteUse(this.#key, asked.us);
    const ownUs = lastsUs * (1 - DRIFT) - LOOK_US;
    const [lastUs, lastWallUs] = [asked.us + ownUs, asked.wallUs + ownUs];
    const lease: PlacedLease = { endsUs, number, lastUs, lastWallUs, low: this.#low, high: this.#high };
    this.#freePlaces(this.#time.us(), this.#time.wallUs());
    for (const state of [FREE, WRITING]) {
      for (const [i, place] of this.#places.entries()) {
        if (stateOf(place.tag) !== state) continue;
        const tag = place.put(lease, units);
        if (tag === undefined) continue;
        this.#tags[i] = tag;
        this.#seen[i] = { ...lease, place, tag, isSpent: false, known: units, left: units, leftUs: asked.us };
        stats.leased += units[0]!;
        return true;
      }
    }
    return false;
  }

  report(us: number, wallUs: number): LeaseReport[] {
    this.expire(us, wallUs);
    const leases = this.#leases();
    const live = leases.filter(({ left }) => left.some((units) => units > 0));
    // The lease that is asked for needs a place.
    const oldest =
      live.length === PLACES ? live.reduce((one, other) => (one.lastUs <= other.lastUs ? one : other)) : undefined;
    return leases.flatMap((lease) => {
      if (lease === oldest) return this.#return(lease);
      if (!live.includes(lease)) lease.place.close(lease.tag);
      lease.known = lease.left;
      return { endsUs: lease.endsUs, number: lease.number, isReturned: false, units: lease.left };
    });
  }

  giveBack(us: number, wallUs: number): LeaseReport[] {
    this.expire(us, wallUs);
    return this.#leases().flatMap((lease) => this.#return(lease));
  }

  /** Also looks what is left of the others, and since when. */
  expire(us: number, wallUs: number): void {
    this.spentUs = Number.NEGATIVE_INFINITY;
    for (const lease of this.#leases()) {
      if (lasts(lease, us, wallUs)) {
        this.#look(lease);
        this.spentUs = Math.max(this.spentUs, lease.leftUs);
      } else {
        this.#context.stats.expired += lease.place.close(lease.tag)?.[0] ?? 0;
      }
    }
    if (this.spentUs === Number.NEGATIVE_INFINITY) this.spentUs = us;
  }

  prepare(us: number): boolean {
    this.#lacksMemory = !(this.#find() || this.#use(this.#context.keys.findOrAdd(this.#low, this.#high, us)));
    return !this.#lacksMemory;
  }

  get lacksMemory(): boolean {
    return this.#lacksMemory && !this.#find();
  }

  beginAsk(us: number, tryAgain: (() => void) | undefined): boolean {
    if (this.#key === NOWHERE) return true;
    if (!this.#context.claim.take(this.#key, us)) {
      if (tryAgain !== undefined) this.#context.later(tryAgain);
      return false;
    }
    this.#context.keys.noteUse(this.#key, us);
    return true;
  }

  endAsk(): void {
    if (this.#key !== NOWHERE) this.#context.claim.release(this.#key);
  }

  findDenial(us: number): HeldDenial | undefined {
    return this.#key === NOWHERE ? undefined : this.#denial.find(this.#key, us);
  }

  noteDenial(denial: HeldDenial): void {
    if (this.#key !== NOWHERE) this.#denial.note(this.#key, denial);
  }

  /** Takes a lease from all threads. Another thread may have done so. */
  #return({ place, tag, left, endsUs, number }: SeenLease): LeaseReport[] {
    const units = place.close(tag);
    if (units === undefined) return [];
    if (units.some((its, limit) => its !== left[limit])) this.spentUs = this.#laterUs;
    this.#context.stats.returned += units[0]!;
    return [{ endsUs, number, isReturned: true, units }];
  }

  #find(): boolean {
    return this.#use(this.#context.keys.find(this.#low, this.#high));
  }

  #use(key: number): boolean {
    if (key === this.#key) return key !== NOWHERE;
    this.#key = key;
    const at = Array.from({ length: key === NOWHERE ? 0 : PLACES }, (_, i) => key + PLACES_AT + i * PLACE_WORDS);
    this.#places = at.map((word) => new LeasePlace(this.#context.memory, word, this.#limits));
    this.#tags = at.map(() => 0);
    this.#seen = at.map(() => undefined);
    return key !== NOWHERE;
  }

  #leases(): SeenLease[] {
    return this.#places.map((_, i) => this.#lease(i)).filter((lease) => lease !== undefined);
  }

  /** The lease of this key in a place. */
  #lease(i: number): SeenLease | undefined {
    const place = this.#places[i];
    if (place === undefined) return undefined;
    const { tag } = place;
    return tag === this.#tags[i] ? this.#seen[i] : this.#see(i, place, tag);
  }

  #see(i: number, place: LeasePlace, tag: number): SeenLease | undefined {
    const lease = place.read(tag);
    const isOwn = lease !== undefined && lease.low === this.#low && lease.high === this.#high;
    this.#tags[i] = tag;
    if (!isOwn) {
      this.#seen[i] = undefined;
      return undefined;
    }
    const left = this.#leftOf(place, tag);
    const seen = { ...lease, place, tag, isSpent: false, known: left, left, leftUs: this.#laterUs };
    this.#seen[i] = seen;
    return seen;
  }

  #leftOf(place: LeasePlace, tag: number): number[] {
    return Array.from({ length: this.#limits }, (_, limit) => place.left(limit, tag));
  }

  #look(lease: SeenLease): void {
    const left = this.#leftOf(lease.place, lease.tag);
    if (left.every((units, limit) => units === lease.left[limit])) return;
    lease.left = left;
    lease.leftUs = this.#laterUs;
  }

  /** The time, once units have been read: what is gone of them was spent before, whatever thread's clock is ahead. */
  get #laterUs(): number {
    return this.#time.us() + LOOK_US;
  }

  /** Frees places whose leases have ended, also of keys that had these words before. */
  #freePlaces(us: number, wallUs: number): void {
    this.expire(us, wallUs);
    for (const place of this.#places) {
      const { tag } = place;
      const lease = place.read(tag);
      if (lease !== undefined && !lasts(lease, us, wallUs)) place.close(tag);
    }
  }
}
