import type { LeaseAsk, PlacesReport } from "../../redis/script/lease.ts";
import type { PlacesOfAsk } from "../leases/places.ts";
import type { PlacesOfProcess } from "./places-of-process.ts";
import type { SharedPlacesLease } from "./shared-places-lease.ts";

/** A lease about which this thread asks. */
interface AskedLease {
  readonly lease: SharedPlacesLease;
  readonly number: number;
  /** Its number, if a request has arrived that was not answered; 0 if not. */
  readonly also: number;
  readonly size: number;
  isKnown: boolean;
}

/**
 * What one thread tells the server of the places that a process has for a key. A thread that asks locks the leases of
 * which it speaks, because the script may replace their numbers. Others say nothing of them until it has the answer. If
 * it is terminated meanwhile, they are lent and end as they are.
 */
export class ReportedPlaces {
  readonly #leases: PlacesOfProcess;
  readonly #limits: number;
  readonly #limit: number;
  /** Numbers of leases begin after this one. */
  readonly #before: number;
  readonly #leaseOf = new WeakMap<PlacesReport, SharedPlacesLease>();
  #asked: AskedLease[] = [];
  #reports: readonly PlacesReport[] = [];

  constructor(leases: PlacesOfProcess, limits: number, limit: number, first: number) {
    this.#leases = leases;
    this.#limits = limits;
    this.#limit = limit;
    this.#before = first - 1;
  }

  /** Which number of the process a lease's number is. */
  numberOf(number: number): number {
    return number - this.#before;
  }

  /** What a request says: of leases that have changed, or end before a moment, and which one may be replaced. */
  ask(untilUs: number, hasSlot: boolean): PlacesOfAsk {
    const { all } = this.#leases;
    const places: PlacesReport[] = [];
    let replaced = 0;
    for (const lease of all) {
      const also = lease.lock();
      if (also === undefined) continue;
      // After the lock: what others have said before is as much or more.
      const [number, size] = [lease.number, lease.size];
      const mayGrow = lease === all.at(-1) && also === 0 && !(lease.isRetired && hasSlot);
      const isExtended = mayGrow || (!lease.isRetired && lease.lastUs < untilUs);
      if (!(isExtended || also !== 0 || size !== this.#leases.knownOf(lease))) {
        lease.unlock(0);
        continue;
      }
      if (mayGrow) replaced = this.#before + number;
      this.#asked.push({ lease, number, also, size, isKnown: false });
      places.push(this.#reportOf(lease, number, size, isExtended));
      if (also !== 0) places.push(this.#reportOf(lease, also, size, isExtended));
      this.#leases.noteKnown(lease, size);
    }
    this.#reports = places;
    return { places, replaced };
  }

  /** Notes what the script knows. Leases that it extended last until a moment. */
  confirm(reports: readonly PlacesReport[], areKnown: readonly boolean[], lastUs: number, lastWallUs: number): void {
    // Otherwise another thread may ask about them, whose answer tells more.
    const asks = reports === this.#reports ? this.#asked : [];
    for (const [i, report] of reports.entries()) {
      const lease = this.#leaseOf.get(report);
      if (lease === undefined || areKnown[i] !== true) continue;
      const asked = asks.find((one) => one.lease === lease);
      if (asked !== undefined) {
        asked.isKnown = true;
        lease.renumber(this.numberOf(report.number));
      }
      if (report.isExtended) lease.extend(lastUs, lastWallUs);
    }
    // The script knows fewer of the others: the places may be other calls' by now.
    for (const { lease, isKnown } of asks) if (!isKnown) lease.close();
  }

  /** A new lease has replaced one, and has more places. @returns the lease; `undefined` if it is lost. */
  grow(ask: LeaseAsk, free: number, held: number, mayLend: boolean): SharedPlacesLease | undefined {
    const asked = this.#asked.find(({ number }) => this.#before + number === ask.replaced);
    if (asked?.isKnown !== true) return undefined;
    const { lease, size } = asked;
    if (!lease.grow(this.numberOf(ask.number), free, held, mayLend)) return undefined;
    this.#leases.noteKnown(lease, size + free + held);
    return lease;
  }

  /** Ends a request, which may have `failed`. */
  endAsk(failed?: LeaseAsk): void {
    for (const { lease, number, also } of this.#asked) {
      const other = this.#before + number === failed?.replaced ? this.numberOf(failed.number) : also;
      lease.unlock(failed === undefined ? 0 : other);
    }
    this.#asked = [];
  }

  /** What has changed of leases about which no thread asks, and how many places they have given up. */
  changes(): { reports: PlacesReport[]; returned: number } {
    const reports: PlacesReport[] = [];
    let returned = 0;
    for (const lease of this.#leases.all) {
      const [number, size, known] = [lease.number, lease.size, this.#leases.knownOf(lease)];
      // A thread that begins to ask afterwards finds as many or fewer.
      if (number === 0 || size === known || !lease.isSettled) continue;
      reports.push(this.#reportOf(lease, number, size, false));
      returned += known - size;
      this.#leases.noteKnown(lease, size);
    }
    return { reports, returned };
  }

  extension(): PlacesReport[] {
    const reports: PlacesReport[] = [];
    for (const lease of this.#leases.all) {
      const [number, size] = [lease.number, lease.size];
      if (number !== 0 && size > 0 && lease.isSettled) reports.push(this.#reportOf(lease, number, size, true));
    }
    return reports;
  }

  forget(): PlacesReport[] {
    const { all } = this.#leases;
    const reports = all.flatMap((lease) => {
      const { number } = lease;
      return number === 0 ? [] : [this.#reportOf(lease, number, 0, false)];
    });
    for (const lease of all) lease.close();
    return reports;
  }

  /** Forgets leases that are over, of which the script knows. */
  closeEmpty(): void {
    for (const lease of this.#leases.all) {
      if (lease.isRetired && lease.size === 0 && this.#leases.knownOf(lease) === 0 && lease.isSettled) lease.close();
    }
  }

  #reportOf(lease: SharedPlacesLease, number: number, size: number, isExtended: boolean): PlacesReport {
    const units = Array.from({ length: this.#limits }, (_, limit) => (limit === this.#limit ? size : 0));
    const report = { number: this.#before + number, isExtended, units };
    this.#leaseOf.set(report, lease);
    return report;
  }
}
