import { countsPlaces } from "../../../core/limits/concurrency-limit.ts";
import type { Plan } from "../../../core/plan.ts";
import { Report } from "../../../core/report.ts";
import type { LeaseAsk, PlacesReport } from "../../redis/script/lease.ts";
import type { LeaseStats } from "../stats.ts";
import { DRIFT, type NodeMoment } from "./held.ts";
import type { LeaseTimes } from "./lease-times.ts";
import type { PlaceHolder, PlaceHolders } from "./place-holders.ts";
import { type Hold, PlaceHolds } from "./place-holds.ts";
import { PlacePeaks } from "./place-peaks.ts";
import { EXTENDED_AFTER, LOW, MOST_OF_CAPACITY, NEAR_END } from "./place-sizes.ts";
import type { LentFrom, NewPlaces, Places, PlacesOfAsk } from "./places.ts";
import { PlacesLease } from "./places-lease.ts";

export interface LeasedPlacesParts {
  readonly plan: Plan;
  readonly times: LeaseTimes;
  readonly stats: LeaseStats;
  readonly holders: PlaceHolders;
  /** What frees and renews the places that are given to calls. */
  readonly holder: PlaceHolder;
  readonly nowUs: number;
}

/** Places in this thread. No other thread gives them to calls. */
export class LeasedPlaces implements Places {
  readonly lacksMemory: boolean = false;
  readonly mayAdd: boolean = true;
  lentAtUs: number;
  readonly #plan: Plan;
  readonly #times: LeaseTimes;
  readonly #stats: LeaseStats;
  /** For each limit, how long a call holds a place; 0 for a limit that counts units. */
  readonly #ttlsUs: readonly number[];
  readonly #limits: readonly number[];
  readonly #holds: PlaceHolds;
  readonly #peaks: PlacePeaks;
  #leases: PlacesLease[] = [];
  readonly #toShed: number[];
  /** When to look whether places are still too few for all nodes. */
  #sharesFromUs = Number.POSITIVE_INFINITY;

  constructor({ plan, times, stats, holders, holder, nowUs }: LeasedPlacesParts) {
    this.lentAtUs = nowUs;
    this.#plan = plan;
    this.#times = times;
    this.#stats = stats;
    this.#ttlsUs = plan.limits.map((limit) => (countsPlaces(limit) ? limit.ttlMs * 1_000 : 0));
    this.#limits = plan.limits.flatMap((limit, i) => (countsPlaces(limit) ? [i] : []));
    this.#toShed = plan.limits.map(() => 0);
    this.#holds = new PlaceHolds(this.#ttlsUs, holders, holder);
    this.#peaks = new PlacePeaks(plan.limits.length, times.chunkUs / 2, nowUs);
  }

  get count(): number {
    return this.#leases.length + this.#holds.count;
  }

  prepare(): boolean {
    return true;
  }

  endAsk(): void {}

  add(ask: LeaseAsk, more: NewPlaces, lastsUs: number, asked: NodeMoment, mayLend: boolean): PlacesLease {
    const ownUs = lastsUs * (1 - DRIFT);
    this.#stats.leased += more.free[0]! + more.held[0]!;
    const reported = ask.places.find(({ number }) => number === ask.replaced);
    const replaced = this.#leases.find(({ number }) => number === ask.replaced);
    if (reported !== undefined && replaced !== undefined) {
      replaced.replace(ask.number, reported.units, more);
      replaced.extend(ownUs, asked, mayLend);
      return replaced;
    }
    const lease = new PlacesLease(ask.number, more, ownUs, asked);
    // It may have places of a lease that this node has lost, whose calls go on. So nothing is said of it any more.
    if (ask.replaced !== 0) lease.retire();
    else this.#leases.push(lease);
    return lease;
  }

  noteFailure({ number, replaced }: LeaseAsk): void {
    const lease = this.#leases.find((one) => one.number === replaced);
    if (lease !== undefined) lease.also = number;
  }

  covers(costs: readonly number[], us: number, wallUs: number): boolean {
    if (!this.#leases.some((lease) => lease.lendsAt(us, wallUs))) return false;
    return this.#limits.every((limit) => this.free(limit, us, wallUs) >= costs[limit]!);
  }

  /** Those of the oldest leases first. */
  lend(costs: readonly number[], us: number, wallUs: number): number {
    const hold: Hold = { parts: [], us, wallUs, lastUs: us, nextUs: undefined };
    for (const limit of this.#limits) {
      let rest = costs[limit]!;
      for (const lease of this.#leases) {
        if (rest === 0) break;
        const count = lease.lendsAt(us, wallUs) ? lease.lend(limit, rest) : 0;
        if (count > 0) hold.parts.push({ lease, limit, count });
        rest -= count;
      }
      this.#peaks.note(limit, this.#held(limit));
    }
    this.lentAtUs = us;
    return this.#holds.add(hold);
  }

  hold(lease: LentFrom | undefined, costs: readonly number[], { us, wallUs }: NodeMoment, lastUs: number): number {
    const parts = lease === undefined ? [] : this.#limits.map((limit) => ({ lease, limit, count: costs[limit]! }));
    for (const limit of this.#limits) this.#peaks.note(limit, this.#held(limit));
    return this.#holds.add({ parts, us, wallUs, lastUs, nextUs: undefined });
  }

  giveUp(momentUs: number, counts: readonly number[]): void {
    for (const limit of this.#limits) {
      this.#holds.free(momentUs, limit, counts[limit]!);
      this.#toShed[limit]! -= this.#shrink(limit, Math.min(this.#toShed[limit]!, counts[limit]!));
    }
  }

  share(nodes: number, part: number, us: number): void {
    this.#sharesFromUs = Number.POSITIVE_INFINITY;
    for (const limit of this.#limits) {
      const excess = Math.max(0, this.#size(limit) - this.#plan.limits[limit]!.capacity / nodes);
      const toShed = Math.ceil(excess * part);
      this.#toShed[limit] = toShed - this.#shrink(limit, toShed);
      if (excess > 0) this.#sharesFromUs = us + this.#times.chunkUs;
    }
  }

  needsServer(momentsUs: readonly number[], us: number, wallUs: number): boolean {
    return this.#limits.some((limit) => {
      const part = momentsUs[limit] === 0 ? undefined : this.#holds.find(momentsUs[limit]!, limit, us, wallUs);
      return part?.lease.lastsAt(us, wallUs) === false;
    });
  }

  renew(momentsUs: readonly number[], us: number, wallUs: number): Report {
    const report = new Report();
    for (const [limit, momentUs] of momentsUs.entries()) {
      const nextUs = momentUs === 0 ? undefined : this.#holds.renew(momentUs, limit, us, wallUs);
      if (nextUs !== undefined) report.decidedUs = nextUs;
      report.conforms[limit] = nextUs !== undefined || momentUs === 0;
      if (!report.conforms[limit]) report.admitted = false;
    }
    return report;
  }

  lastsUs(us: number, wallUs: number): number {
    const lending = this.#leases.filter((lease) => lease.lendsAt(us, wallUs) && lease.free.some((free) => free > 0));
    return Math.max(0, ...lending.map((lease) => lease.restUs(us, wallUs)));
  }

  free(limit: number, us: number, wallUs: number): number {
    let free = 0;
    for (const lease of this.#leases) if (lease.lendsAt(us, wallUs)) free += lease.free[limit]!;
    return free;
  }

  unused(limit: number): number {
    return this.#leases.reduce((sum, { known, held }) => sum + known[limit]! - held[limit]!, 0);
  }

  isLow(us: number, wallUs: number, marginUs: number): boolean {
    if (us >= this.#sharesFromUs) return true;
    const margin = Math.max(marginUs, this.#times.ttlUs * NEAR_END);
    if (this.#leases.some((lease) => lease.lendsAt(us, wallUs) && lease.lastUs - us < margin)) return true;
    return this.#limits.some((limit) => this.free(limit, us, wallUs) <= this.#peaks.reserve(limit) * LOW);
  }

  wanted(limit: number): number {
    const { capacity } = this.#plan.limits[limit]!;
    const wanted = this.#peaks.most(limit) + this.#peaks.reserve(limit) - this.#size(limit);
    return Math.max(0, Math.min(wanted, Math.floor(capacity * MOST_OF_CAPACITY)));
  }

  report(us: number): PlacesOfAsk {
    const untilUs = us + this.#times.ttlUs * (1 - EXTENDED_AFTER);
    const replaced = this.#leases.findLast((lease) => lease.lends && !lease.isEmpty && lease.also === undefined);
    const places = this.#reports((lease) => lease === replaced || lease.lastUs < untilUs);
    return { places, replaced: replaced?.number ?? 0 };
  }

  news(us: number): PlacesReport[] {
    this.#peaks.update(
      us,
      this.#ttlsUs.map((_, limit) => this.#held(limit)),
    );
    for (const limit of this.#limits) {
      const needed = this.#peaks.most(limit) + this.#peaks.reserve(limit);
      const surplus = this.#size(limit) - needed;
      // The next burst would take a few back.
      if (surplus > this.#peaks.reserve(limit)) this.#shrink(limit, surplus);
    }
    return this.#reports(() => false);
  }

  extension(): PlacesReport[] {
    return this.#reports(() => true);
  }

  offer(us: number): PlacesOfAsk {
    for (const lease of this.#leases) lease.shrinkAll();
    return this.report(us);
  }

  giveBack(): PlacesReport[] {
    for (const lease of this.#leases) lease.retire();
    return this.#reports(() => false);
  }

  forget(): PlacesReport[] {
    this.#holds.clear();
    const leases = this.#leases;
    this.#leases = [];
    for (const lease of leases) lease.forget();
    return leases.flatMap((lease) => lease.report(false));
  }

  confirm(reports: readonly PlacesReport[], areKnown: readonly boolean[], asked: NodeMoment, mayLend: boolean): void {
    for (const lease of [...this.#leases]) {
      const own = reports.flatMap(({ number }, i) => (number === lease.number || number === lease.also ? [i] : []));
      const known = own.find((i) => areKnown[i] === true);
      if (own.length === 0) continue;
      if (known === undefined) {
        // The other number may be known.
        if (own.length > 1 || lease.also === undefined) this.#lose(lease);
        continue;
      }
      lease.number = reports[known]!.number;
      if (own.length > 1) lease.also = undefined;
      if (reports[known]!.isExtended) lease.extend(this.#times.ttlUs * (1 - DRIFT), asked, mayLend);
    }
  }

  expire(us: number, wallUs: number): void {
    for (const lease of this.#leases) if (!lease.lastsAt(us, wallUs)) lease.retire();
    this.#holds.expire(us);
  }

  /** Leases of which nothing is left are forgotten: if the report is lost, they end by themselves. */
  #reports(isExtended: (lease: PlacesLease) => boolean): PlacesReport[] {
    const reports: PlacesReport[] = [];
    for (const lease of this.#leases) {
      const mayExtend = !lease.isEmpty && isExtended(lease);
      const before = lease.known[0]!;
      if (mayExtend || lease.hasChanged) reports.push(...lease.report(mayExtend));
      this.#stats.returned += before - lease.known[0]!;
    }
    this.#leases = this.#leases.filter((lease) => !lease.isEmpty);
    return reports;
  }

  /** The script knows less than this node: the places may be other calls' by now. */
  #lose(lost: PlacesLease): void {
    this.#leases = this.#leases.filter((lease) => lease !== lost);
    this.#holds.lose(lost);
  }

  /** Gives up so many free places, or fewer, of the newest leases first. @returns how many. */
  #shrink(limit: number, count: number): number {
    let rest = count;
    for (const lease of this.#leases.toReversed()) if (lease.lends) rest -= lease.shrink(limit, rest);
    return count - rest;
  }

  #held(limit: number): number {
    return this.#leases.reduce((sum, { held }) => sum + held[limit]!, 0);
  }

  /** Places of leases with which calls are admitted. */
  #size(limit: number): number {
    return this.#leases.reduce((sum, lease) => sum + (lease.lends ? lease.free[limit]! + lease.held[limit]! : 0), 0);
  }
}
