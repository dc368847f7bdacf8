import { countsPlaces } from "../../../core/limits/concurrency-limit.ts";
import { Report } from "../../../core/report.ts";
import type { LeaseAsk, PlacesReport } from "../../redis/script/lease.ts";
import { DRIFT, type NodeMoment } from "../leases/held.ts";
import type { LeasedPlacesParts } from "../leases/leased-places.ts";
import { LOOK_US } from "../leases/node-time.ts";
import { PlaceHolds } from "../leases/place-holds.ts";
import { PlacePeaks } from "../leases/place-peaks.ts";
import { EXTENDED_AFTER, LOW, MOST_OF_CAPACITY, NEAR_END } from "../leases/place-sizes.ts";
import type { LentFrom, NewPlaces, Places, PlacesOfAsk } from "../leases/places.ts";
import { PlacesOfProcess } from "./places-of-process.ts";
import { ReportedPlaces } from "./reported-places.ts";
import type { HeldContext } from "./shared-held.ts";
import type { SharedPlacesLease } from "./shared-places-lease.ts";

/**
 * The places of a process for one key, in memory that its threads share. What calls hold is known by the thread that
 * decided about them. A lease is extended and gets more places for the time of a `ttl`; then a new one takes its place.
 * So the places that a dead thread's calls held come back, as soon as the script counts them no more.
 */
export class SharedPlaces implements Places {
  readonly #parts: LeasedPlacesParts;
  readonly #capacity: number;
  /** The limit that counts places. */
  readonly #limit: number;
  readonly #ttlUs: number;
  readonly #leases: PlacesOfProcess;
  readonly #reported: ReportedPlaces;
  readonly #holds: PlaceHolds;
  readonly #peaks: PlacePeaks;
  #toShed = 0;
  /** When to look whether places are still too few for all nodes. */
  #sharesFromUs = Number.POSITIVE_INFINITY;
  #seenUs: number;
  lacksMemory = false;
  mayAdd = false;

  /** `first` is the first number of the leases of this process. */
  constructor(
    context: HeldContext,
    parts: LeasedPlacesParts,
    [low, high]: readonly [low: number, high: number],
    first: number,
  ) {
    const { plan, times, holders, holder, nowUs } = parts;
    this.#parts = parts;
    this.#limit = plan.limits.findIndex(countsPlaces);
    const limit = plan.limits[this.#limit]!;
    this.#capacity = limit.capacity;
    const ttlsUs = plan.limits.map((one) => (countsPlaces(one) ? one.ttlMs * 1_000 : 0));
    this.#ttlUs = ttlsUs[this.#limit]!;
    this.#leases = new PlacesOfProcess(context, low, high);
    this.#reported = new ReportedPlaces(this.#leases, plan.limits.length, this.#limit, first);
    this.#holds = new PlaceHolds(ttlsUs, holders, holder);
    this.#peaks = new PlacePeaks(plan.limits.length, times.chunkUs / 2, nowUs);
    this.#seenUs = nowUs;
  }

  get count(): number {
    return this.#leases.all.length + this.#holds.count;
  }

  get lentAtUs(): number {
    return this.#leases.lentAtUs(this.#seenUs);
  }

  prepare(us: number): boolean {
    this.lacksMemory = !this.#leases.prepare(us);
    return !this.lacksMemory;
  }

  add(ask: LeaseAsk, more: NewPlaces, lastsUs: number, asked: NodeMoment, mayLend: boolean): LentFrom | undefined {
    const [free, held] = [more.free[this.#limit]!, more.held[this.#limit]!];
    this.#parts.stats.leased += this.#limit === 0 ? free + held : 0;
    this.#leases.noteUse(asked.us);
    const ownUs = ownOf(lastsUs);
    if (ask.replaced === 0) {
      const number = this.#reported.numberOf(ask.number);
      return this.#leases.put({ number, free, held, mayLend, asked, lastsUs: ownUs });
    }
    // It may have places of a lease that this node has lost, whose calls go on. So nothing is said of it any more.
    const lease = this.#reported.grow(ask, free, held, mayLend);
    lease?.extend(asked.us + ownUs, asked.wallUs + ownUs);
    return lease;
  }

  noteFailure(ask: LeaseAsk): void {
    this.#reported.endAsk(ask);
  }

  endAsk(): void {
    this.#reported.endAsk();
  }

  covers(costs: readonly number[], us: number, wallUs: number): boolean {
    const count = costs[this.#limit]!;
    return this.#lasting(us, wallUs).some((lease) => !lease.isRetired && lease.free >= count);
  }

  lend(costs: readonly number[], us: number, wallUs: number): number | undefined {
    const count = costs[this.#limit]!;
    const lease = this.#lasting(us, wallUs).find((one) => !one.isRetired && one.lend(count));
    if (lease === undefined) return undefined;
    this.#leases.noteLent(us);
    return this.hold(lease, costs, { us, wallUs }, us);
  }

  hold(lease: LentFrom | undefined, costs: readonly number[], { us, wallUs }: NodeMoment, lastUs: number): number {
    const parts = lease === undefined ? [] : [{ lease, limit: this.#limit, count: costs[this.#limit]! }];
    this.#peaks.note(this.#limit, this.#held);
    return this.#holds.add({ parts, us, wallUs, lastUs, nextUs: undefined });
  }

  giveUp(momentUs: number, counts: readonly number[]): void {
    this.#holds.free(momentUs, this.#limit, counts[this.#limit]!);
    this.#toShed -= this.#shrink(Math.min(this.#toShed, counts[this.#limit]!));
  }

  share(nodes: number, part: number, us: number): void {
    const excess = Math.max(0, this.#size - this.#capacity / nodes);
    const toShed = Math.ceil(excess * part);
    this.#toShed = toShed - this.#shrink(toShed);
    this.#sharesFromUs = excess > 0 ? us + this.#parts.times.chunkUs : Number.POSITIVE_INFINITY;
  }

  needsServer(momentsUs: readonly number[], us: number, wallUs: number): boolean {
    const part = this.#holds.find(momentsUs[this.#limit]!, this.#limit, us, wallUs);
    return part?.lease.lastsAt(us, wallUs) === false && this.free(this.#limit, us, wallUs) === 0;
  }

  renew(momentsUs: readonly number[], us: number, wallUs: number): Report {
    const report = new Report();
    const momentUs = momentsUs[this.#limit]!;
    const nextUs = momentUs === 0 ? undefined : this.#renew(momentUs, us, wallUs);
    if (nextUs !== undefined) report.decidedUs = nextUs;
    report.admitted = momentUs === 0 || nextUs !== undefined;
    for (const limit of momentsUs.keys()) report.conforms[limit] = limit !== this.#limit || report.admitted;
    return report;
  }

  lastsUs(us: number, wallUs: number): number {
    const lending = this.#lasting(us, wallUs).filter(({ free }) => free > 0);
    return Math.max(0, ...lending.map((lease) => lease.restUs(us, wallUs)));
  }

  free(_limit: number, us: number, wallUs: number): number {
    return this.#lasting(us, wallUs).reduce((sum, { free }) => sum + free, 0);
  }

  unused(): number {
    return this.#leases.all.reduce((sum, { free }) => sum + free, 0);
  }

  isLow(us: number, wallUs: number, marginUs: number): boolean {
    if (us >= this.#sharesFromUs) return true;
    const margin = Math.max(marginUs, this.#parts.times.ttlUs * NEAR_END);
    const newest = this.#leases.all.at(-1);
    if (newest !== undefined && !newest.isRetired && newest.restUs(us, wallUs) < margin) return true;
    return this.free(this.#limit, us, wallUs) <= this.#peaks.reserve(this.#limit) * LOW;
  }

  wanted(): number {
    const wanted = this.#peaks.most(this.#limit) + this.#peaks.reserve(this.#limit) - this.#size;
    return Math.max(0, Math.min(wanted, Math.floor(this.#capacity * MOST_OF_CAPACITY)));
  }

  report(us: number): PlacesOfAsk {
    this.prepare(us);
    const newest = this.#leases.all.at(-1);
    const isOld = newest !== undefined && us - newest.bornUs >= this.#ttlUs;
    const { hasSlot } = this.#leases;
    if (isOld && hasSlot) newest.retire();
    const asked = this.#reported.ask(us + this.#parts.times.ttlUs * (1 - EXTENDED_AFTER), hasSlot);
    this.mayAdd = asked.replaced !== 0 || hasSlot;
    return asked;
  }

  offer(us: number): PlacesOfAsk {
    this.#shrink(this.#capacity);
    return this.report(us);
  }

  news(us: number): PlacesReport[] {
    this.#leases.noteUse(us);
    const held = this.#parts.plan.limits.map((_, limit) => (limit === this.#limit ? this.#held : 0));
    this.#peaks.note(this.#limit, held[this.#limit]!);
    this.#peaks.update(us, held);
    const reserve = this.#peaks.reserve(this.#limit);
    const surplus = this.#size - this.#peaks.most(this.#limit) - reserve;
    // The next burst would take a few back.
    if (surplus > reserve) this.#shrink(surplus);
    return this.#changes();
  }

  extension(): PlacesReport[] {
    return this.#reported.extension();
  }

  giveBack(): PlacesReport[] {
    for (const lease of this.#leases.all) lease.retire();
    return this.#changes();
  }

  forget(): PlacesReport[] {
    this.#holds.clear();
    return this.#reported.forget();
  }

  confirm(reports: readonly PlacesReport[], areKnown: readonly boolean[], asked: NodeMoment): void {
    const ownUs = ownOf(this.#parts.times.ttlUs);
    this.#reported.confirm(reports, areKnown, asked.us + ownUs, asked.wallUs + ownUs);
  }

  expire(us: number, wallUs: number): void {
    this.#seenUs = us;
    this.#holds.expire(us);
    this.#leases.closeOthers(us, wallUs);
    for (const lease of this.#leases.all) {
      if (lease.lastsAt(us, wallUs)) continue;
      lease.retire();
      const isOver = us - lease.lastUs >= this.#ttlUs * (1 + DRIFT);
      if (isOver) lease.close();
    }
    this.#reported.closeEmpty();
  }

  #renew(momentUs: number, us: number, wallUs: number): number | undefined {
    const part = this.#holds.find(momentUs, this.#limit, us, wallUs);
    const lease = part?.lease as SharedPlacesLease | undefined;
    if (lease?.isThere !== true) return undefined;
    // A call leaves a lease that should come to its end.
    const stays = !lease.isRetired && lease.lastsAt(us, wallUs);
    const other = stays ? undefined : this.#lasting(us, wallUs).find((one) => !one.isRetired && one.lend(1));
    return this.#holds.renew(momentUs, this.#limit, us, wallUs, other);
  }

  #changes(): PlacesReport[] {
    const { reports, returned } = this.#reported.changes();
    this.#parts.stats.returned += this.#limit === 0 ? returned : 0;
    return reports;
  }

  /** Gives up so many free places, or fewer, of the newest leases first. @returns how many. */
  #shrink(count: number): number {
    let rest = Math.max(0, count);
    for (const lease of this.#leases.all.toReversed()) rest -= lease.shrink(rest);
    return Math.max(0, count) - rest;
  }

  #lasting(us: number, wallUs: number): SharedPlacesLease[] {
    return this.#leases.all.filter((lease) => lease.lastsAt(us, wallUs));
  }

  /** Places that calls hold, of threads that have died, too. */
  get #held(): number {
    return this.#leases.all.reduce((sum, { size, free }) => sum + size - free, 0);
  }

  /** Places of leases with which calls are admitted. */
  get #size(): number {
    return this.#leases.all.reduce((sum, { isRetired, size }) => sum + (isRetired ? 0 : size), 0);
  }
}

function ownOf(lastsUs: number): number {
  return lastsUs * (1 - DRIFT) - LOOK_US;
}
