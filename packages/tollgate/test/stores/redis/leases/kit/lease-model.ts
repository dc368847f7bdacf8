/** A lease as the model knows it. */
interface ModelLease {
  readonly endsUs: bigint;
  readonly number: number;
  readonly holder: number;
  left: bigint;
}

/** What a node reports of a lease. */
export interface ModelReport {
  readonly endsUs: number;
  readonly number: number;
  readonly isReturned: boolean;
  readonly left: number;
}

/**
 * One token bucket with leases, in BigInt. Its tokens are counted in parts: `perUs` of them are a token, and a
 * microsecond brings `refill`. It goes through time event by event: between events the tokens grow, and never exceed
 * what the leases leave of the capacity.
 */
export class LeaseModel {
  readonly #capacity: bigint;
  readonly #refill: bigint;
  readonly #perUs: bigint;
  #parts: bigint;
  #atUs: bigint;
  readonly #leases: ModelLease[] = [];

  constructor(capacity: number, refill: number, perUs: number, nowUs: number) {
    this.#capacity = BigInt(capacity);
    this.#refill = BigInt(refill);
    this.#perUs = BigInt(perUs);
    this.#parts = this.#capacity * this.#perUs;
    this.#atUs = BigInt(nowUs);
  }

  /** A denied call writes nothing: the next one finds the bucket as it was. */
  copy(): LeaseModel {
    const copy = new LeaseModel(Number(this.#capacity), Number(this.#refill), Number(this.#perUs), Number(this.#atUs));
    copy.#parts = this.#parts;
    for (const lease of this.#leases) copy.#leases.push({ ...lease });
    return copy;
  }

  /** Units that count as used, rounded up. */
  get used(): number {
    const missing = this.#capacity * this.#perUs - this.#parts;
    return Number((missing + this.#perUs - 1n) / this.#perUs);
  }

  get outstanding(): number {
    return Number(this.#sum);
  }

  advance(toUs: number): void {
    const to = BigInt(toUs);
    for (let next = this.#leases[0]; next !== undefined && next.endsUs <= to; next = this.#leases[0]) {
      this.#grow(next.endsUs);
      this.#leases.shift();
    }
    this.#grow(to);
  }

  /** Takes a cost so often, as often as it fits. */
  take(cost: number, times: number): number {
    let admitted = 0;
    while (admitted < times && this.#parts >= BigInt(cost) * this.#perUs) {
      this.#parts -= BigInt(cost) * this.#perUs;
      admitted += 1;
    }
    return admitted;
  }

  refund(cost: number): void {
    this.#parts = this.#least(this.#parts + BigInt(cost) * this.#perUs, this.#capacity * this.#perUs);
  }

  /** `nowUs`: when the report arrives. The model may be at an earlier moment, from which on the node was quiet. */
  report({ endsUs, number, isReturned, left }: ModelReport, nowUs: number): void {
    const lease = this.#leases.find((other) => other.endsUs === BigInt(endsUs) && other.number === number);
    if (lease === undefined) return;
    lease.left = this.#least(lease.left, BigInt(left));
    if (!isReturned || endsUs <= nowUs) return;
    this.#parts += lease.left * this.#perUs;
    lease.left = 0n;
    this.#cap();
  }

  /** The units that a lease gets. */
  grant(wanted: number, endsUs: number, number: number, holder: number): number {
    const nodes = this.nodes(holder);
    const left = this.#parts / this.#perUs;
    const asked = BigInt(wanted);
    const most = nodes > 1 && 2n * (left - asked) < this.#capacity ? (left + 1n) / 2n : left;
    const units = this.#least(asked, most);
    this.#parts -= units * this.#perUs;
    this.#leases.push({ endsUs: BigInt(endsUs), number, holder, left: units });
    this.#leases.sort((one, other) => Number(one.endsUs - other.endsUs));
    return Number(units);
  }

  nodes(holder: number): number {
    return new Set([...this.#leases.map((lease) => lease.holder), holder]).size;
  }

  get #sum(): bigint {
    return this.#leases.reduce((sum, { left }) => sum + left, 0n);
  }

  #grow(toUs: bigint): void {
    if (toUs > this.#atUs) {
      this.#parts += (toUs - this.#atUs) * this.#refill;
      this.#atUs = toUs;
    }
    this.#cap();
  }

  #cap(): void {
    this.#parts = this.#least(this.#parts, (this.#capacity - this.#sum) * this.#perUs);
  }

  #least(one: bigint, other: bigint): bigint {
    return one < other ? one : other;
  }
}
