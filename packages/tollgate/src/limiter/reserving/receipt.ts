import type { Report } from "../../core/report.ts";
import type { Taken } from "../../core/taken.ts";
import { VERBS } from "../../core/verbs.ts";
import type { Route } from "../choosing/route.ts";
import type { Request } from "../deciding/request.ts";

/** For a store that tells nothing of its resets: it finds out by itself. */
const UNKNOWN = Number.POSITIVE_INFINITY;

/** What makes decisions. */
export interface Corrected {
  /** The limiter whose verbs correct these decisions. */
  readonly correctedBy: object;
}

/**
 * What one call took: of which keys, in which spaces, and until when it counts. Corrections act on it, and lower what
 * is left to give back, so nothing is given back twice.
 */
export class Receipt {
  /** The limiter that made the decision. */
  readonly maker: Corrected;
  readonly route: Route;
  readonly keys: readonly string[];
  /** How many units of each limit are left to give back. */
  #left: readonly number[];
  /** When the units of each limit leave at the latest, in microseconds. */
  #untilUs: readonly number[];
  /** Where the units of each space are. */
  readonly #places: readonly Omit<Taken, "untilUs">[];
  /** Called with what is given back, and with numbers below 0 if it was kept after all. */
  onGiven: ((units: readonly number[]) => void) | undefined = undefined;

  constructor(
    maker: Corrected,
    route: Route,
    keys: readonly string[],
    taken: readonly number[],
    untilUs: readonly number[],
    places: readonly Omit<Taken, "untilUs">[],
  ) {
    this.maker = maker;
    this.route = route;
    this.keys = keys;
    this.#left = taken;
    this.#untilUs = untilUs;
    this.#places = places;
  }

  /** How many units of each limit are left to give back. */
  get left(): readonly number[] {
    return this.#left;
  }

  /** When what was taken from each limit leaves at the latest if nothing else is taken: places free themselves then. */
  get untilUs(): readonly number[] {
    return this.#untilUs;
  }

  /** What was taken in each space, for the store to correct. */
  get taken(): readonly Taken[] {
    let at = 0;
    return this.#places.map((place, i) => {
      const from = at;
      at += this.route.spaces[i]!.plan.limits.length;
      return { ...place, untilUs: this.#untilUs.slice(from, at) };
    });
  }

  /** Lowers what is left, before the store is asked: a correction may call again. */
  give(units: readonly number[]): void {
    this.#left = this.#left.map((left, i) => left - units[i]!);
    this.onGiven?.(units);
  }

  /** The store did not take these back. */
  keep(units: readonly number[]): void {
    this.give(units.map((count) => -count));
  }

  /** Another receipt has what is left. */
  forget(): void {
    this.#left = this.#left.map(() => 0);
  }

  /** Places were renewed, so they free themselves at other moments. Limits that did not keep theirs have none left. */
  renewed(isKept: readonly boolean[], untilUs: readonly number[], counts: readonly number[]): void {
    this.#untilUs = this.#untilUs.map((before, i) => (counts[i]! > 0 && untilUs[i]! > 0 ? untilUs[i]! : before));
    this.#left = this.#left.map((left, i) => (isKept[i]! ? left : 0));
  }
}

/** A limiter whose plain takes go one way: of one key, from its own cells, in this process. */
export interface PlainTaker {
  readonly maker: Corrected;
  readonly route: Route;
}

/** The receipt of a plain take. The units of each limit leave at `untilUs`: one number for one limit. */
export function receiptOfPlain(
  { maker, route }: PlainTaker,
  key: string,
  cost: number,
  untilUs: number | readonly number[],
  resets: number = UNKNOWN,
): Receipt {
  const costs: number[] = [];
  route.readCosts(cost, costs);
  const list = typeof untilUs === "number" ? [untilUs] : untilUs;
  return new Receipt(maker, route, [key], costs, list, [{ where: "own", degraded: undefined, resets }]);
}

type TakingRequest = Readonly<Pick<Request, "route" | "keys" | "now" | "verb">> & { readonly costs: readonly number[] };

/** What a call took; `undefined` if it took nothing. */
export function receiptOfTake(maker: Corrected, request: TakingRequest, report: Report): Receipt | undefined {
  const { route, keys, costs, now, verb } = request;
  const { changes, takes } = VERBS[verb];
  if (!changes || takes === "never" || !(report.admitted || takes === "always")) return undefined;
  // A failure policy that counts nothing reports nothing of limits.
  if (!report.hasEntries || route.spaces.length === 0) return undefined;
  const nowUs = now[0]!;
  // Lists are made at their length: pushing to one allocates room for 16 more, and closures take half as long again.
  const count = route.limits.length;
  const taken = new Array<number>(count);
  const untilUs = new Array<number>(count);
  for (let i = 0; i < count; i += 1) {
    taken[i] = takes === "always" || report.conforms[i] === true ? costs[i]! : 0;
    const saidUs = report.untilUs[i];
    untilUs[i] = saidUs !== undefined && saidUs > 0 ? saidUs : nowUs + report.resetUs[i]!;
  }
  const places =
    route.only === undefined ? route.spaces.map((_, i) => placeOf(report, i)) : [placeOf(report, undefined)];
  return new Receipt(maker, route, keys, taken, untilUs, places);
}

/** Where a call took its units. `call` tells it from others, if there are several. */
function placeOf(report: Report, call: number | undefined): Omit<Taken, "untilUs"> {
  const overflow = call === undefined ? report.overflow : report.overflowOf[call];
  // A server knows one moment of the whole call.
  const resets = (call === undefined ? undefined : report.resetsOf[call]) ?? report.resets ?? UNKNOWN;
  return { where: overflow === "shared" ? "overflow" : "own", degraded: report.degraded, resets };
}
