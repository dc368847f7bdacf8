import { type Cost, TollgateError } from "tollgate";
import type { LimitsFile, RuleWords } from "tollgate/config";

type Choices = NonNullable<RuleWords["keys"]>;

const WORDS = ["rate", "within", "quota"] as const;
/** A request costs one of these, and a place, whether or not a rule counts them. */
const EVERYWHERE = ["requests", "concurrent-requests"];

/** The units in which a domain counts. A cost in another unit is misspelt, and would count nothing. */
export class UnitsInForce {
  #file: LimitsFile;
  /** By domain: found when a cost names units. */
  #known = new Map<string, ReadonlySet<string>>();

  constructor(file: LimitsFile) {
    this.#file = file;
  }

  replace(file: LimitsFile): void {
    this.#file = file;
    this.#known = new Map();
  }

  /** `undefined` for a domain that the file does not have. */
  of(domain: string): ReadonlySet<string> | undefined {
    const words = Object.hasOwn(this.#file.domains, domain) ? this.#file.domains[domain] : undefined;
    if (words === undefined) return undefined;
    const units = this.#known.get(domain) ?? unitsOf(Object.values(words.limits));
    this.#known.set(domain, units);
    return units;
  }
}

/** @throws TollgateError `ERR_COST` for a unit that is not among these. */
export function checkUnits(cost: Cost | undefined, units: ReadonlySet<string> | undefined): void {
  if (typeof cost !== "object" || units === undefined) return;
  const unknown = Object.keys(cost).find((unit) => !units.has(unit));
  if (unknown === undefined) return;
  const known = [...units].map((unit) => JSON.stringify(unit)).join(", ");
  throw new TollgateError("ERR_COST", `cost: expected units among ${known}, got ${JSON.stringify(unknown)}`);
}

function unitsOf(rules: readonly RuleWords[]): ReadonlySet<string> {
  const units = new Set(EVERYWHERE);
  for (const rule of rules) {
    addUnits(units, rule);
    addChoices(units, rule.plans?.is);
    addChoices(units, rule.keys);
  }
  return units;
}

function addChoices(units: Set<string>, choices: Choices = {}): void {
  for (const name of Object.keys(choices)) {
    const choice = choices[name];
    if (typeof choice === "object") addUnits(units, choice);
  }
}

function addUnits(units: Set<string>, words: Choices[string]): void {
  if (typeof words === "string") return;
  for (const word of WORDS) {
    const amounts = words[word];
    if (typeof amounts === "object" && !Array.isArray(amounts))
      for (const unit of Object.keys(amounts)) units.add(unit);
  }
}
