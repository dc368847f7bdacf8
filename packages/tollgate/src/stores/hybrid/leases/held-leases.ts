import type { LeaseReport } from "../../redis/script/lease.ts";
import type { LeaseStats } from "../stats.ts";

/** A moment by both clocks of a node, in microseconds (`node-time.ts`). */
export interface NodeMoment {
  readonly us: number;
  readonly wallUs: number;
}

/** A lease of this node. */
interface HeldLease {
  /** Its identity: its end by the time of the script, and its number. */
  readonly endsUs: number;
  readonly number: number;
  /** Its end by this node's clocks, both of which have to be before it. */
  readonly lastUs: number;
  readonly lastWallUs: number;
  /** Units that were not spent, one entry per limit. */
  readonly left: number[];
  /** Units that the script counts for it. */
  known: readonly number[];
}

/** Clocks may differ by this part of the time that passes. */
export const DRIFT = 0.01;

/**
 * The units that a node may spend for one key: a few leases, in the order in which they came. A lease ends by the
 * clocks of this node, counted from before it was requested. After a sleep or a stop one of them is beyond its end.
 */
export class HeldLeases {
  readonly #stats: LeaseStats;
  #leases: HeldLease[] = [];

  constructor(stats: LeaseStats) {
    this.#stats = stats;
  }

  /** How many leases the script may still count for this node. */
  get count(): number {
    return this.#leases.length;
  }

  /** Adds a lease that lasts so many microseconds from a moment before it was requested. */
  add(endsUs: number, number: number, lastsUs: number, units: readonly number[], asked: NodeMoment): void {
    const ownUs = lastsUs * (1 - DRIFT);
    const [lastUs, lastWallUs] = [asked.us + ownUs, asked.wallUs + ownUs];
    this.#leases.push({ endsUs, number, lastUs, lastWallUs, left: [...units], known: units });
    this.#stats.leased += units[0]!;
  }

  /** Spends a cost, of the oldest leases first. If they do not cover it, nothing is spent. */
  spend(costs: readonly number[], us: number, wallUs: number): boolean {
    const lease = this.#leases[0];
    if (lease === undefined) return false;
    if (us < lease.lastUs && wallUs < lease.lastWallUs && spendFrom(lease.left, costs)) return true;
    return this.#spendFromAll(costs, us, wallUs);
  }

  /** Units of a limit that may be spent. */
  units(limit: number, us: number, wallUs: number): number {
    let units = 0;
    for (const { lastUs, lastWallUs, left } of this.#leases) {
      if (us < lastUs && wallUs < lastWallUs) units += left[limit]!;
    }
    return units;
  }

  /** Units of a limit that the script counts for this node. */
  known(limit: number): number {
    let units = 0;
    for (const { known } of this.#leases) units += known[limit]!;
    return units;
  }

  /** Whether only one lease is left, with no more units than these of a limit, or near its end. */
  isLow(low: readonly number[], us: number, marginUs: number): boolean {
    if (this.#leases.length !== 1) return this.#leases.length === 0;
    const { left, lastUs } = this.#leases[0]!;
    if (lastUs - us < marginUs) return true;
    for (let limit = 0; limit < low.length; limit += 1) if (left[limit]! <= low[limit]!) return true;
    return false;
  }

  /** Reports all leases. Those without units are forgotten: if the report is lost, they end by themselves. */
  report(us: number, wallUs: number): LeaseReport[] {
    this.expire(us, wallUs);
    const reports = this.#leases.map((lease) => {
      lease.known = [...lease.left];
      return { endsUs: lease.endsUs, number: lease.number, isReturned: false, units: lease.known };
    });
    this.#leases = this.#leases.filter(({ left }) => left.some((units) => units > 0));
    return reports;
  }

  /** Returns all leases. Nothing can be spent of them afterwards. */
  giveBack(us: number, wallUs: number): LeaseReport[] {
    this.expire(us, wallUs);
    const given = this.#leases;
    this.#leases = [];
    for (const { left } of given) this.#stats.returned += left[0]!;
    return given.map(({ endsUs, number, left }) => ({ endsUs, number, isReturned: true, units: left }));
  }

  /** Forgets leases that have ended. */
  expire(us: number, wallUs: number): void {
    const isLive = ({ lastUs, lastWallUs }: HeldLease) => us < lastUs && wallUs < lastWallUs;
    if (this.#leases.every(isLive)) return;
    for (const lease of this.#leases) if (!isLive(lease)) this.#stats.expired += lease.left[0]!;
    this.#leases = this.#leases.filter(isLive);
  }

  #spendFromAll(costs: readonly number[], us: number, wallUs: number): boolean {
    this.expire(us, wallUs);
    for (let limit = 0; limit < costs.length; limit += 1) {
      if (this.units(limit, us, wallUs) < costs[limit]!) return false;
    }
    const rest = [...costs];
    for (const { left } of this.#leases) {
      for (let limit = 0; limit < rest.length; limit += 1) {
        const part = Math.min(rest[limit]!, left[limit]!);
        left[limit]! -= part;
        rest[limit]! -= part;
      }
    }
    return true;
  }
}

function spendFrom(left: number[], costs: readonly number[]): boolean {
  for (let limit = 0; limit < costs.length; limit += 1) if (left[limit]! < costs[limit]!) return false;
  for (let limit = 0; limit < costs.length; limit += 1) left[limit]! -= costs[limit]!;
  return true;
}
