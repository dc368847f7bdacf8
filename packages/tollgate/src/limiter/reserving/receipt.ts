import { isUsual, type Report } from "../../core/report.ts";
import type { Taken } from "../../core/taken.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import { VERBS } from "../../core/verbs.ts";
import type { Route } from "../choosing/route.ts";
import type { Request } from "../deciding/request.ts";

/** The limiter does not know the resets of a fallback or of a store elsewhere: such a store finds out by itself. */
const UNKNOWN = Number.POSITIVE_INFINITY;

/** What a receipt keeps of a call. */
export type TakingCall = Pick<Request, "verb" | "route" | "keys" | "costs" | "now">;

/**
 * What one call took: of which keys, in which spaces, and until when it counts. Corrections act on it, and lower what
 * is left to give back, so nothing is given back twice. The usual call has one key and one limit, so that single values
 * stand in place of lists.
 */
export class Receipt {
  /** The limiter that made the decision. */
  readonly maker: object;
  readonly route: Route;
  readonly #keys: string | readonly string[];
  readonly #takenUs: number;
  /** How many units of each limit are left to give back. */
  #left: number | number[];
  /** When the units of each limit leave at the latest, after `takenUs`. */
  readonly #leaveUs: number | readonly number[];
  /** When units leave, where the store has said so: at least places. */
  #saidUntilUs: readonly number[] | undefined = undefined;
  readonly #resets: number | readonly number[];
  readonly #overflowed: readonly boolean[] | undefined;
  readonly #degraded: string | undefined;

  private constructor(
    maker: object,
    route: Route,
    keys: string | readonly string[],
    takenUs: number,
    left: number | number[],
    leaveUs: number | readonly number[],
    resets: number | readonly number[],
    overflowed: readonly boolean[] | undefined,
    degraded: string | undefined,
  ) {
    this.maker = maker;
    this.route = route;
    this.#keys = keys;
    this.#takenUs = takenUs;
    this.#left = left;
    this.#leaveUs = leaveUs;
    this.#resets = resets;
    this.#overflowed = overflowed;
    this.#degraded = degraded;
  }

  /** The receipt of the usual call: its only limit has admitted it, by the key's own cells. */
  static ofOne(maker: object, route: Route, key: string, cost: number, now: TimeCell, report: Report): Receipt {
    const { resets = UNKNOWN, resetUs, untilUs } = report;
    const leaveUs = untilUs.length > 0 ? untilUs[0]! - now[0]! : resetUs[0]!;
    return new Receipt(maker, route, key, now[0]!, cost, leaveUs, resets, undefined, undefined);
  }

  /** The receipt of any call that has taken something; `undefined` if the store took nothing. */
  static of(maker: object, request: TakingCall, report: Report): Receipt | undefined {
    const { route, keys, costs, now } = request;
    const { takes } = VERBS[request.verb];
    // A failure policy that counts nothing reports nothing of limits.
    if (!report.hasEntries || route.spaces.length === 0) return undefined;
    const taken = route.limits.map((_, i) => (takes === "always" || report.conforms[i] ? costs[i]! : 0));
    const made = new Receipt(
      maker,
      route,
      keys.length === 1 ? keys[0]! : [...keys],
      now[0]!,
      taken,
      report.resetUs.slice(0, taken.length),
      resetsBefore(report),
      overflowedIn(report),
      report.degraded,
    );
    if (report.untilUs.length > 0) made.#saidUntilUs = report.untilUs.slice(0, taken.length);
    return made;
  }

  get keys(): readonly string[] {
    return typeof this.#keys === "string" ? [this.#keys] : this.#keys;
  }

  /** How many units of each limit are left to give back. */
  get left(): readonly number[] {
    return typeof this.#left === "number" ? [this.#left] : this.#left;
  }

  /** What was taken in each space, for the store to correct. */
  get taken(): readonly Taken[] {
    const { left } = this;
    let at = 0;
    return this.route.spaces.map((space, i) => {
      const from = at;
      at += space.plan.limits.length;
      const units = left.slice(from, at);
      return {
        where: this.#overflowed?.[i] === true ? "overflow" : "own",
        degraded: this.#degraded,
        resets: typeof this.#resets === "number" ? this.#resets : this.#resets[i]!,
        takenUs: this.#takenUs,
        units,
        untilUs: units.map((_, limit) => this.#untilUs(from + limit)),
      };
    });
  }

  /** Lowers what is left, before the store is asked: a correction may call again. */
  give(units: readonly number[]): void {
    this.#left = this.left.map((left, i) => left - units[i]!);
  }

  /** The store did not take these back. */
  keep(units: readonly number[]): void {
    this.#left = this.left.map((left, i) => left + units[i]!);
  }

  /** Places were renewed, so they free themselves at other moments. Limits that did not keep theirs have none left. */
  renewed(isKept: readonly boolean[], untilUs: readonly number[], counts: readonly number[]): void {
    const before = this.#saidUntilUs ?? [];
    this.#saidUntilUs = counts.map((count, i) => (count > 0 ? (untilUs[i] ?? 0) : (before[i] ?? 0)));
    this.#left = this.left.map((left, i) => (isKept[i]! ? left : 0));
  }

  /** When what was taken from a limit leaves at the latest if nothing else is taken. */
  #untilUs(limit: number): number {
    const until = this.#saidUntilUs?.[limit];
    if (until !== undefined && until > 0) return until;
    return this.#takenUs + (typeof this.#leaveUs === "number" ? this.#leaveUs : this.#leaveUs[limit]!);
  }

  /** When the places of a limit free themselves, in microseconds since the epoch. */
  untilUsOf(limit: number): number {
    return this.#untilUs(limit);
  }
}

function resetsBefore({ degraded, resets = UNKNOWN, resetsOf }: Report): number | readonly number[] {
  if (degraded !== undefined) return UNKNOWN;
  return resetsOf.length === 0 ? resets : resetsOf.map((known = UNKNOWN) => known);
}

/** Whether the units of each call are in overflow buckets. */
function overflowedIn({ overflow, overflowOf }: Report): readonly boolean[] | undefined {
  if (overflow === undefined) return undefined;
  return overflowOf.length === 0 ? [overflow === "shared"] : overflowOf.map((one) => one === "shared");
}

/** What a call took; `undefined` if it took nothing. */
export function receiptOfTake(maker: object, call: TakingCall, report: Report): Receipt | undefined {
  const { changes, takes } = VERBS[call.verb];
  if (!changes || takes === "never" || !(report.admitted || takes === "always")) return undefined;
  const { route, keys, costs, now } = call;
  const isOne = route.onlyLimit !== undefined && report.admitted && isUsual(report) && !route.takesPlaces;
  if (isOne) return Receipt.ofOne(maker, route, keys[0]!, costs[0]!, now, report);
  return Receipt.of(maker, call, report);
}
