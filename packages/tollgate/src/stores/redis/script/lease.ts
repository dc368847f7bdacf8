/** The numbers that identify leases: a holder's first, and this many for each holder. */
export const LEASES_OF_HOLDER: number = 2 ** 20;
/** The most leases of a key at a time: as many as a thousand nodes hold. */
export const MOST_LEASES = 4_096;

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
  /** The units of the lease, one entry per limit; zeros without a lease. */
  readonly units: readonly number[];
}

/** What a transaction that asks for a lease has after its keys. */
export function leaseParts({ calls, wanted, ttlUs, quietUs, number, reports }: LeaseAsk): readonly unknown[] {
  const reported = reports.map(({ endsUs, number: its, isReturned, units }) => [endsUs, its, isReturned, units]);
  return [calls, ttlUs, quietUs, number, wanted, reported];
}

/** Decodes what follows the report of such a transaction. `next` reads the next number of the reply. */
export function readGrant({ wanted }: LeaseAsk, next: () => number): LeaseGrant {
  const [endsUs, lastsUs, nodes, scarce] = [next(), next(), next(), next()];
  const units = wanted.map(() => (lastsUs > 0 ? next() : 0));
  return { endsUs, lastsUs, nodes, isScarce: scarce === 1, units };
}
