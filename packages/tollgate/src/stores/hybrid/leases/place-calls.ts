import type { Report } from "../../../core/report.ts";
import { LeaseWaiter } from "../../redis/batch/waiter.ts";
import type { LeaseGrant } from "../../redis/script/lease.ts";
import type { NodeMoment } from "./held.ts";
import type { Reported } from "./key-holdings.ts";
import type { LeaseNode } from "./lease-node.ts";
import type { PlaceHolder } from "./place-holders.ts";
import type { Places } from "./places.ts";

/** What the calls that hold places of a key need from it. */
export interface KeyOfPlaces {
  /** Sends a request that takes nothing. */
  readonly send: (reported: Reported, waiter: LeaseWaiter) => void;
  /** Counts calls as demand. */
  readonly count: (costs: readonly number[]) => void;
  /** Places have come back, which calls that wait may get. */
  readonly freed: () => void;
}

interface Failure {
  readonly error: unknown;
}

/** The calls that hold places of one key. */
export class PlaceCalls implements PlaceHolder {
  readonly leased: Places;
  readonly #node: LeaseNode;
  readonly #key: KeyOfPlaces;
  /** The request that extends leases. Calls that renew meanwhile wait for the same answer. */
  #extending: Promise<Failure | undefined> | undefined;

  /** `placesOf` makes the places of the key, which this object frees and renews. */
  constructor(node: LeaseNode, key: KeyOfPlaces, placesOf: (holder: PlaceHolder) => Places) {
    this.#node = node;
    this.#key = key;
    this.leased = placesOf(this);
  }

  freePlaces(momentUs: number, counts: readonly number[]): void {
    this.leased.giveUp(momentUs, counts);
    this.#key.freed();
  }

  async renewPlaces(momentsUs: readonly number[]): Promise<Report> {
    const asked = this.#moment;
    this.#key.count(momentsUs.map((momentUs) => (momentUs === 0 ? 0 : 1)));
    if (this.leased.needsServer(momentsUs, asked.us, asked.wallUs)) {
      this.#extending ??= this.#extend(asked);
      const failure = await this.#extending;
      if (failure !== undefined) throw failure.error;
    }
    const { us, wallUs } = this.#moment;
    return this.leased.renew(momentsUs, us, wallUs);
  }

  get #moment(): NodeMoment {
    return { us: this.#node.time.us(), wallUs: this.#node.time.wallUs() };
  }

  /**
   * Extends leases whose places calls hold. The key may be blocked, so no call is admitted with them.
   *
   * @returns the failure, if the server did not answer.
   */
  #extend(asked: NodeMoment): Promise<Failure | undefined> {
    return new Promise((resolve) => {
      const places = this.leased.extension();
      const end = (failure?: Failure) => {
        this.#extending = undefined;
        resolve(failure);
      };
      const granted = (_: number, __: Report, { areKnown }: LeaseGrant) => {
        this.leased.confirm(places, areKnown, asked, false);
        end();
      };
      this.#key.send({ reports: [], places, replaced: 0 }, new LeaseWaiter(granted, (error) => end({ error })));
    });
  }
}
