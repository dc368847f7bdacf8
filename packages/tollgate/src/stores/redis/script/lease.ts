/** The numbers that identify leases: a holder's first, and this many for each holder. */
export const LEASES_OF_HOLDER: number = 2 ** 20;

/**
 * What a node reports of a lease that it holds. The number of units is absolute, so a report that comes twice, late or
 * in another order does no harm. The end and the number are the lease's identity.
 */
export interface LeaseReport {
  /** The lease's end by the time of the script, in microseconds. */
  readonly endsUs: number;
  readonly number: number;
  /** Whether the units go back to the limits. Otherwise the node keeps them. */
  readonly isReturned: boolean;
  /** Units that were not spent, one entry per limit. */
  readonly units: readonly number[];
}

/**
 * How many places a node has left of a lease. The number alone is the lease's identity, because its end may move. The
 * number of places is absolute, and what the script knows never grows.
 */
export interface PlacesReport {
  readonly number: number;
  /** Whether the lease lasts as long from now on as a new one. */
  readonly isExtended: boolean;
  /** One entry per limit; those of limits that count no places mean nothing. */
  readonly units: readonly number[];
}

/** What a node asks for one key: units for calls that wait, units in advance, or neither. */
export interface LeaseAsk {
  /** How many identical calls wait. Each takes the costs of its key, until one is denied. */
  readonly calls: number;
  /** Units in advance, one entry per limit; zeros for no lease. */
  readonly wanted: readonly number[];
  /** How long a lease lasts at most, in microseconds. */
  readonly ttlUs: number;
  /** For so many microseconds the node has spent nothing of what it reports. */
  readonly quietUs: number;
  /** The new lease's number, which no other lease has. Divided by `LEASES_OF_HOLDER` it tells nodes apart. */
  readonly number: number;
  readonly reports: readonly LeaseReport[];
  /** Reports about places, where limits count them. */
  readonly places: readonly PlacesReport[];
  /** The number of a lease of places that a new lease replaces, or 0. It is reported, too. */
  readonly replaced: number;
}

/** The script's answer to a `LeaseAsk`. */
export interface LeaseGrant {
  /** The lease's end by the time of the script, in microseconds. */
  readonly endsUs: number;
  /** Microseconds from the decision to the end; 0 if there is no lease. */
  readonly lastsUs: number;
  /** How many nodes asked lately, at least one. */
  readonly nodes: number;
  /** Whether little is left for other nodes. */
  readonly isScarce: boolean;
  /**
   * The units of the lease, one entry per limit; zeros without a lease. Its places are these, those of the
   * admitted calls, and those of the lease that it replaces.
   */
  readonly units: readonly number[];
  /** For each report about places, whether the script still counts them all. If not, it has lost data, or was reset. */
  readonly areKnown: readonly boolean[];
}

/** Encodes what follows the head of a transaction that asks for a lease. */
export function pushLease(steps: string[], ask: LeaseAsk): void {
  const { calls, wanted, ttlUs, quietUs, number, reports, places, replaced } = ask;
  const numbers = [calls, ttlUs, quietUs, number, wanted.length, ...wanted, reports.length];
  for (const { endsUs, number: its, isReturned, units } of reports) {
    numbers.push(endsUs, its, isReturned ? 1 : 0, ...units);
  }
  numbers.push(places.length);
  for (const { number: its, isExtended, units } of places) numbers.push(its, isExtended ? 1 : 0, ...units);
  numbers.push(replaced);
  for (const argument of numbers) steps.push(String(argument));
}

/** Decodes what follows the report of such a transaction. `next` reads the next number of the reply. */
export function readGrant({ wanted, places }: LeaseAsk, next: () => number): LeaseGrant {
  const [endsUs, lastsUs, nodes, scarce] = [next(), next(), next(), next()];
  const units = wanted.map(() => (lastsUs > 0 ? next() : 0));
  const areKnown = places.map(() => next() === 1);
  return { endsUs, lastsUs, nodes, isScarce: scarce === 1, units, areKnown };
}
