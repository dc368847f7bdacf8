import type { LeaseGrant, LeaseReport } from "../../redis/script/lease.ts";
import type { LeaseStats } from "../stats.ts";
import { DRIFT, LOOK_US, type NodeMoment } from "./node-time.ts";
import type { Sizing } from "./sizing.ts";

/** A lease of this node. */
interface HeldLease {
  /** Its identity: its end by the time of the script, and its number. */
  readonly endsUs: number;
  readonly number: number;
  /** When the script granted it, by the time of the script. */
  readonly grantedUs: number;
  /** Its end by this node's clocks, both of which have to be before it. */
  readonly lastUs: number;
  readonly lastWallUs: number;
  /** Units that were not spent, one entry per limit. */
  readonly left: number[];
  /** Units that the script counts for it. */
  known: readonly number[];
}

/**
 * The leases of one key at this node, in the order in which they came.
 *
 * A lease ends by the clocks of the node, counted from before it was requested. After a sleep or a stop one of them is
 * beyond its end.
 */
export class HeldLeases {
  /** When units were spent last. */
  spentAt: NodeMoment;
  /** When the script granted the units that were spent last, the oldest of them. */
  spentOfUs = 0;
  readonly #stats: LeaseStats;
  #leases: HeldLease[] = [];
  /** Leases of which nothing is left, and the script does not know it yet. */
  #exhausted: HeldLease[] = [];

  constructor(stats: LeaseStats, now: NodeMoment) {
    this.#stats = stats;
    this.spentAt = now;
  }

  /** How many leases the script may still count for this node. */
  get count(): number {
    return this.#leases.length + this.#exhausted.length;
  }

  /** Adds a lease that was requested at a moment. */
  add({ endsUs, lastsUs, units }: LeaseGrant, number: number, asked: NodeMoment): void {
    const ownUs = lastsUs * (1 - DRIFT) - LOOK_US;
    const [lastUs, lastWallUs] = [asked.us + ownUs, asked.wallUs + ownUs];
    this.#leases.push({
      endsUs,
      number,
      grantedUs: endsUs - lastsUs,
      lastUs,
      lastWallUs,
      left: [...units],
      known: units,
    });
    this.#stats.leased += units[0]!;
  }

  /** Spends a cost, of the oldest leases first. If they do not cover it, nothing is spent. */
  spend(costs: readonly number[], now: NodeMoment): boolean {
    const lease = this.#leases[0];
    if (lease === undefined) return false;
    if (isLive(lease, now) && spendFrom(lease.left, costs)) this.spentOfUs = lease.grantedUs;
    else if (!this.#spendFromAll(costs, now)) return false;
    for (let first = this.#leases[0]; first?.left.every((units) => units === 0); first = this.#leases[0]) {
      this.#exhausted.push(first);
      this.#leases.shift();
    }
    this.spentAt = now;
    return true;
  }

  /** Units of a limit that may be spent. */
  units(limit: number, now: NodeMoment): number {
    let units = 0;
    for (const lease of this.#leases) if (isLive(lease, now)) units += lease.left[limit]!;
    return units;
  }

  /** Microseconds until the last lease ends for this node; 0 without one. */
  lastsUs({ us, wallUs }: NodeMoment): number {
    return Math.max(0, ...this.#leases.map(({ lastUs, lastWallUs }) => Math.min(lastUs - us, lastWallUs - wallUs)));
  }

  /** Units of a limit that the script counts for this node. */
  known(limit: number): number {
    let units = 0;
    for (const { known } of this.#all) units += known[limit]!;
    return units;
  }

  /** Whether no more than the reserve is left. With two leases, a third one would end before it is spent. */
  isLow({ low, marginUs }: Sizing, us: number): boolean {
    if (this.#leases.length !== 1) return this.#leases.length === 0;
    const { left, lastUs } = this.#leases[0]!;
    if (lastUs - us < marginUs) return true;
    for (let limit = 0; limit < low.length; limit += 1) if (left[limit]! <= low[limit]!) return true;
    return false;
  }

  /** Whether units were spent that the script still counts as leased. */
  get isUnreported(): boolean {
    return this.#all.some(({ left, known }) => left.some((units, i) => units < known[i]!));
  }

  /** Reports all leases. Those without units are forgotten: if the report is lost, they end by themselves. */
  report(now: NodeMoment): LeaseReport[] {
    this.expire(now);
    const reports = this.#all.map((lease) => {
      lease.known = [...lease.left];
      return { endsUs: lease.endsUs, number: lease.number, isReturned: false, units: lease.known };
    });
    this.#leases = this.#leases.filter(({ left }) => left.some((units) => units > 0));
    this.#exhausted = [];
    return reports;
  }

  /** Returns all leases. Nothing can be spent of them afterwards. */
  giveBack(now: NodeMoment): LeaseReport[] {
    this.expire(now);
    const given = this.#all;
    this.#leases = [];
    this.#exhausted = [];
    for (const { left } of given) this.#stats.returned += left[0]!;
    return given.map(({ endsUs, number, left }) => ({ endsUs, number, isReturned: true, units: left }));
  }

  /** Forgets leases that have ended. */
  expire(now: NodeMoment): void {
    if (this.#all.every((lease) => isLive(lease, now))) return;
    for (const lease of this.#leases) if (!isLive(lease, now)) this.#stats.expired += lease.left[0]!;
    this.#leases = this.#leases.filter((lease) => isLive(lease, now));
    this.#exhausted = this.#exhausted.filter((lease) => isLive(lease, now));
  }

  get #all(): readonly HeldLease[] {
    return [...this.#exhausted, ...this.#leases];
  }

  #spendFromAll(costs: readonly number[], now: NodeMoment): boolean {
    this.expire(now);
    for (let limit = 0; limit < costs.length; limit += 1) if (this.units(limit, now) < costs[limit]!) return false;
    const [oldest] = this.#leases;
    // No lease, and a cost of 0.
    if (oldest === undefined) return false;
    this.spentOfUs = oldest.grantedUs;
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

function isLive({ lastUs, lastWallUs }: HeldLease, { us, wallUs }: NodeMoment): boolean {
  return us < lastUs && wallUs < lastWallUs;
}

function spendFrom(left: number[], costs: readonly number[]): boolean {
  for (let limit = 0; limit < costs.length; limit += 1) if (left[limit]! < costs[limit]!) return false;
  for (let limit = 0; limit < costs.length; limit += 1) left[limit]! -= costs[limit]!;
  return true;
}
