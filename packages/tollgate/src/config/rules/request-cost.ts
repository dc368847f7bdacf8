import { type Cost, checkCost, REQUESTS, type UnitCosts } from "../../core/cost.ts";
import { show, TollgateError } from "../../core/errors.ts";
import type { AsyncReservation, Reservation } from "../../limiter/reservation.ts";
import type { RuleWords, UnitCost } from "../file/limits-file.ts";
import { type Fact, parseFact } from "./fact.ts";
import { NamedAsyncReservation, NamedReservation } from "./named-reservation.ts";
import type { Request } from "./request.ts";
import type { Rule } from "./rule.ts";

/** What a request costs in a unit. */
interface StatedCost {
  readonly fact: Fact | undefined;
  /** Without a fact, or if the fact states no whole number. */
  readonly otherwise: number;
}

interface CountedUnit extends StatedCost {
  readonly unit: string;
  /** The name under which the rule counts it. */
  readonly counted: string;
}

const DIGITS = /^\d{1,16}$/;

/** The costs of requests that some rules count. */
export class RequestCost {
  readonly #units: readonly CountedUnit[];
  /** Whether each request costs 1 and nothing else, so that a plain number says it. */
  readonly #isPlain: boolean;

  constructor(rules: readonly Rule[]) {
    const units = rules.flatMap((rule) =>
      rule.units.map((unit) => ({ unit, counted: rule.unitOf(unit), ...statedCost(rule.words, unit) })),
    );
    this.#units = [...new Map(units.map((unit) => [unit.counted, unit])).values()];
    this.#isPlain = this.#units.every(isDefault);
  }

  /**
   * The cost of a request. What the caller gives counts before what the file states; a number is a cost in requests.
   *
   * @throws TollgateError `ERR_COST`.
   */
  of(request: Request, given: Cost | undefined): Cost {
    if (this.#isPlain && (given === undefined || typeof given === "number")) return given ?? 1;
    const named = namedCosts(given);
    return Object.fromEntries(this.#units.map((unit) => [unit.counted, named.get(unit.unit) ?? costIn(unit, request)]));
  }

  /** A reservation whose corrections name the units of the file. */
  named(reserved: Reservation | Promise<AsyncReservation>): Reservation | Promise<AsyncReservation> {
    if (this.#isPlain) return reserved;
    const rename = (cost: Cost) => this.given(cost);
    return reserved instanceof Promise
      ? reserved.then((reservation) => new NamedAsyncReservation(reservation, rename))
      : new NamedReservation(reserved, rename);
  }

  /** The cost of a correction: only what the caller gives. @throws TollgateError `ERR_COST`. */
  given(cost: Cost): Cost {
    if (this.#isPlain && typeof cost === "number") return cost;
    const named = namedCosts(cost);
    return Object.fromEntries(
      this.#units.flatMap(({ unit, counted }): [string, number][] => {
        const units = named.get(unit);
        return units === undefined ? [] : [[counted, units]];
      }),
    );
  }
}

/** Whether rules of a domain state different costs for a unit. Then each counts it under a name of its own. */
export function nameUnits(rules: readonly Rule[]): void {
  if (rules.every(({ words }) => words.cost === undefined)) return;
  const texts = new Map<string, Set<string>>();
  const stated = rules.map((rule) => rule.units.map((unit) => [unit, costText(statedCost(rule.words, unit))] as const));
  for (const units of stated) {
    for (const [unit, text] of units) texts.set(unit, (texts.get(unit) ?? new Set()).add(text));
  }
  for (const [i, rule] of rules.entries()) {
    const aliases = (stated[i] ?? []).flatMap(([unit, text]): [string, string][] => {
      const isAlone = texts.get(unit)?.size === 1;
      return isAlone || text === costText(defaultCost(unit)) ? [] : [[unit, `${unit}@${rule.name}`]];
    });
    if (aliases.length > 0) rule.countAs(new Map(aliases));
  }
}

function isDefault({ unit, counted, fact, otherwise }: CountedUnit): boolean {
  return unit === REQUESTS && counted === REQUESTS && fact === undefined && otherwise === 1;
}

function costIn({ fact, otherwise }: StatedCost, request: Request): number {
  if (fact === undefined) return otherwise;
  const text = request.read(fact);
  const cost = DIGITS.test(text) ? Number(text) : otherwise;
  return Number.isSafeInteger(cost) ? cost : Number.MAX_SAFE_INTEGER;
}

function statedCost({ cost }: RuleWords, unit: string): StatedCost {
  const stated =
    typeof cost === "object"
      ? Object.hasOwn(cost, unit)
        ? cost[unit]
        : undefined
      : unit === REQUESTS
        ? cost
        : undefined;
  return stated === undefined ? defaultCost(unit) : readUnitCost(stated);
}

function readUnitCost(cost: UnitCost): StatedCost {
  if (typeof cost === "number") return { fact: undefined, otherwise: cost };
  if (typeof cost === "string") return { fact: parseFact(cost), otherwise: 1 };
  return { fact: parseFact(cost.from), otherwise: cost.otherwise ?? 1 };
}

/** A request costs 1 in requests. Other units cost nothing unless the file or the caller says so. */
function defaultCost(unit: string): StatedCost {
  return { fact: undefined, otherwise: unit === REQUESTS ? 1 : 0 };
}

function costText({ fact, otherwise }: StatedCost): string {
  return JSON.stringify([fact, otherwise]);
}

function namedCosts(cost: Cost | undefined): ReadonlyMap<string, number> {
  if (cost === undefined) return new Map();
  if (typeof cost === "number") {
    checkCost(cost);
    return new Map([[REQUESTS, cost]]);
  }
  if (typeof cost !== "object" || cost === null) {
    throw new TollgateError("ERR_COST", `cost: expected a whole number, or one per unit, got ${show(cost)}`);
  }
  const named = Object.entries(cost satisfies UnitCosts);
  for (const [unit, units] of named) checkCost(units, unit);
  return new Map(named);
}
