import { type Cost, copyCost, plainCostError, readUnitsInto } from "../../../core/cost.ts";
import { TollgateError } from "../../../core/errors.ts";
import type { KeptReservation } from "../../../core/kept-reservation.ts";
import { CONCURRENT_REQUESTS } from "../../../core/limits/places.ts";
import { KeptPart, type PartChange } from "./kept-part.ts";

/** Where receipts are. */
export interface ReceiptServer {
  /** The part of a reservation that is under an id, if there is one. */
  read(id: string): Promise<KeptPart | undefined>;
  /** Changes a part, and says whether its calls conformed. Does nothing if it is another part by now, or over. */
  change(part: KeptPart, change: PartChange): Promise<boolean | KeptPart | "over">;
}

/** The cost under each limit that a cost names. */
type NamedCosts = readonly (number | undefined)[];

/**
 * A reservation that a server keeps, a part for each slot. A verb reads the parts, and changes each in one step with
 * its counts. The first part says whether the reservation is over.
 */
export class RedisReservation implements KeptReservation {
  readonly id: string;
  readonly #server: ReceiptServer;

  constructor(id: string, server: ReceiptServer) {
    this.id = id;
    this.#server = server;
  }

  async charge(cost: Cost): Promise<boolean> {
    if (typeof cost === "object" && Object.hasOwn(cost ?? {}, CONCURRENT_REQUESTS))
      throw new TollgateError("ERR_COST", `cost: expected units that are charged, got "${CONCURRENT_REQUESTS}"`);
    const done = await this.#change(copyCost(cost), (part, costs) => part.charged(costs.map((count) => count ?? 0)));
    if (done !== "over") return done;
    const got = "one that was settled or cancelled, or has expired";
    throw new TollgateError("ERR_CLOSED", `charge: expected an open reservation, got ${got}`);
  }

  async settle(actualCost: Cost = {}): Promise<boolean> {
    return this.#end(copyCost(actualCost));
  }

  async cancel(): Promise<boolean> {
    return this.#end(null);
  }

  async renew(): Promise<boolean> {
    let hadAll = true;
    const done = await this.#change({}, (part) => {
      hadAll &&= part.hasAllPlaces;
      return part.renewed();
    });
    return hadAll && done === true;
  }

  async #change(cost: Cost, receiptOf: (part: KeptPart, costs: NamedCosts) => PartChange): Promise<boolean | "over"> {
    const [first, ...others] = await this.#parts();
    if (first === undefined) return "over";
    checkCost(cost, [first, ...others]);
    const change = async (part: KeptPart): Promise<boolean | "over"> => {
      if (part.head.ended !== undefined) return "over";
      const done = await this.#server.change(part, receiptOf(part, costsOf(cost, part)));
      return done instanceof KeptPart ? change(done) : done;
    };
    const done = await change(first);
    if (done === "over") return done;
    const rest = await Promise.all(others.map(change));
    return done && !rest.includes(false);
  }

  /**
   * Ends the first part, which keeps the cost until the others have ended by it. So exactly one call ends all, and if
   * it fails or its process dies, the next one goes on.
   */
  async #end(cost: Cost | null, isEnded = false): Promise<boolean> {
    const [first, ...others] = await this.#parts();
    if (first === undefined) return isEnded;
    const { ended } = first.head;
    if (ended === undefined) {
      checkCost(cost ?? {}, [first, ...others]);
      const done = await this.#endPart(first, cost);
      if (done === "over") return false;
      return done === "ended" && first.head.others.length === 0 ? true : this.#end(cost, done === "ended");
    }
    await Promise.all(others.map((part) => this.#endOther(part, ended)));
    await this.#server.change(first, first.forgotten());
    return isEnded;
  }

  async #endOther(part: KeptPart, cost: Cost | null): Promise<void> {
    const done = await this.#endPart(part, cost);
    if (done instanceof KeptPart) await this.#endOther(done, cost);
  }

  async #endPart(part: KeptPart, cost: Cost | null): Promise<"ended" | KeptPart | "over"> {
    const costs = cost === null ? part.counted.map(() => 0) : costsOf(cost, part);
    const after = part.counted.map((count, i) => costs[i] ?? count);
    const done = await this.#server.change(part, part.ended(after, cost));
    return typeof done === "boolean" ? "ended" : done;
  }

  /** The first part, and those of the others that are open. */
  async #parts(): Promise<KeptPart[]> {
    const first = await this.#server.read(this.id);
    if (first === undefined) return [];
    const others = await Promise.all(first.head.others.map((id) => this.#server.read(id)));
    return [first, ...others.filter((part) => part !== undefined)];
  }
}

/** @throws TollgateError `ERR_COST` for a cost that no limit counts. */
function checkCost(cost: Cost, parts: readonly KeptPart[]): void {
  const limits = parts.flatMap((part) => part.limits).map(([unit, isPlain]) => ({ unit, isPlain }));
  const units = new Set(limits.map(({ unit }) => unit));
  if (typeof cost !== "number") {
    const unknownUnits = parts[0]?.head.refusesOthers === true ? "refused" : "ignored";
    readUnitsInto([], cost, limits, units.add(CONCURRENT_REQUESTS), unknownUnits);
  } else if (limits.length > 0 && limits.every(({ isPlain }) => !isPlain)) throw plainCostError(cost, units);
}

function costsOf(cost: Cost, { limits }: KeptPart): NamedCosts {
  return limits.map(([unit, isPlain, kind]) => {
    const isNamed = kind !== "place" && (typeof cost === "number" ? isPlain : Object.hasOwn(cost, unit));
    return isNamed ? (typeof cost === "number" ? cost : cost[unit]) : undefined;
  });
}
