import { type Cost, copyCost, REQUESTS } from "../../core/cost.ts";
import type { Pricing } from "../../limiter/choosing/pricing.ts";
import type { CostWord, RuleWords } from "../file/limits-file.ts";
import { type Fact, parseFact } from "./fact.ts";
import { perUnit } from "./limit-words.ts";
import type { Request } from "./request.ts";
import type { Rule } from "./rule.ts";
import type { Steps } from "./steps.ts";

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
export class RequestCost implements Pricing<Request> {
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
    return this.#costs(given, (unit) => costIn(unit, request));
  }

  /** The cost of a correction: only what the caller gives. @throws TollgateError `ERR_COST`. */
  given(cost: Cost): Cost {
    if (this.#isPlain && typeof cost === "number") return cost;
    return this.#costs(cost, () => undefined);
  }

  #costs(given: Cost | undefined, otherwise: (unit: CountedUnit) => number | undefined): Cost {
    const named = namedCosts(given);
    return Object.fromEntries(
      this.#units.flatMap((unit): [string, number][] => {
        const units = givenIn(named, unit) ?? otherwise(unit);
        return units === undefined ? [] : [[unit.counted, units]];
      }),
    );
  }

  unitOf(counted: string): string {
    return this.#units.find((unit) => unit.counted === counted)?.unit ?? counted;
  }
}

/** Has rules that state different costs for a unit count it under names of their own, step by step. */
export function* nameUnits(rules: readonly Rule[]): Steps<void> {
  if (rules.every(({ words }) => words.cost === undefined)) return;
  const texts = new Map<string, Set<string>>();
  for (const { units, words } of rules) {
    for (const unit of units) texts.set(unit, (texts.get(unit) ?? new Set()).add(statedText(words, unit)));
    yield;
  }
  for (const rule of rules) {
    const aliases = rule.units.flatMap((unit): [string, string][] => {
      const isAlone = texts.get(unit)?.size === 1;
      const isDefaultCost = statedText(rule.words, unit) === costText(defaultCost(unit));
      return isAlone || isDefaultCost ? [] : [[unit, `${unit}@${rule.name}`]];
    });
    if (aliases.length > 0) rule.countAs(new Map(aliases));
    yield;
  }
}

function statedText(words: RuleWords, unit: string): string {
  return costText(statedCost(words, unit));
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
  const costs = perUnit<CostWord>(cost ?? {});
  return Object.hasOwn(costs, unit) ? readUnitCost(costs[unit]!) : defaultCost(unit);
}

function readUnitCost(cost: CostWord): StatedCost {
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

/** A cost that was translated before names the units that are counted. */
function givenIn(named: ReadonlyMap<string, number>, { unit, counted }: CountedUnit): number | undefined {
  return named.get(counted) ?? named.get(unit);
}

function namedCosts(cost: Cost = {}): ReadonlyMap<string, number> {
  const checked = copyCost(cost);
  return new Map(typeof checked === "number" ? [[REQUESTS, checked]] : Object.entries(checked));
}
