import { show, TollgateError } from "../../core/errors.ts";
import { AddressList } from "../../http/identity/address-list.ts";
import { PLAIN_FACTS, parseFact } from "../rules/fact.ts";
import { LIMIT_WORDS, type LimitSetting, limitsOfWord, perUnit } from "../rules/limit-words.ts";
import { keyOfAddress } from "../rules/request-address.ts";
import { unitsOfRule } from "../rules/rule.ts";
import type { Words } from "../text/source.ts";
import type { FoundRule } from "./check-shape.ts";
import type { Choice, CostWord, LimitWords, RuleWords } from "./limits-file.ts";
import { hintOf, type Mistakes } from "./mistakes.ts";

/** A rule that fits its shape, or what fits of it. */
export interface RuleToCheck extends FoundRule {
  /** Headers in lower case. */
  readonly trusted: ReadonlySet<string>;
  /** Whether nothing was left out of the file that does not fit. What is missing may be there otherwise. */
  readonly isWhole: boolean;
}

/** Checks what the shape of a rule cannot say. */
export class RuleCheck {
  readonly #found: RuleToCheck;
  readonly #mistakes: Mistakes;
  /** The choices that were checked, by their text: files repeat the same numbers for many keys. */
  readonly #sound = new Set<string>();

  constructor(found: RuleToCheck, mistakes: Mistakes) {
    this.#found = found;
    this.#mistakes = mistakes;
  }

  check(): void {
    this.#checkBy();
    this.#checkAddresses();
    this.#checkDefault();
    this.#checkPlans();
    this.#checkKeys();
    this.#checkCost();
    this.#checkBlockFor();
  }

  #checkBy(): void {
    const { by } = this.#found.rule;
    const facts = this.#facts;
    const seen = new Set<string>();
    for (const [i, text] of facts.entries()) {
      const words = typeof by === "string" ? ["by"] : ["by", i];
      this.#checkFact(text, words);
      const name = parseFact(text).id;
      if (seen.has(name)) this.#expected(words, "facts that differ", `${show(text)} again`);
      seen.add(name);
    }
  }

  /** A word that is no fact may be a descriptor's key, but a misspelt fact must not pass for one. */
  #checkFact(text: string, words: Words): void {
    const fact = parseFact(text);
    if (fact.kind !== "descriptor" || text.startsWith("descriptor.")) return;
    const keys = Object.keys(this.#found.rule.match?.descriptor ?? {});
    if (keys.includes(text)) return;
    const hint = hintOf(text, [...PLAIN_FACTS, ...keys]);
    const expected =
      "a fact: ip, method, path, host, header.NAME, query.NAME, cookie.NAME, descriptor.KEY or a key of match.descriptor";
    this.#expected(words, expected, `${show(text)}${hint}`);
  }

  #checkAddresses(): void {
    const ip = this.#found.rule.match?.ip ?? [];
    for (const [i, entry] of [ip].flat().entries()) {
      this.#try(() => new AddressList("ip", [entry]), typeof ip === "string" ? ["match", "ip"] : ["match", "ip", i]);
    }
  }

  #checkDefault(): void {
    const { limit } = this.#found.rule;
    const words = limitWordsIn(this.#found.rule);
    if (limit === undefined && words.length === 0 && this.#found.isWhole) {
      this.#expected([], "a limit (rate, within, quota or inflight) or the word limit", "a rule without");
    }
    if (limit !== undefined && words.length > 0) {
      this.#expected(["limit"], `no word limit beside ${words.join(", ")}`, show(limit));
    }
    this.#checkLimits(this.#found.rule, []);
  }

  #checkPlans(): void {
    const { plans } = this.#found.rule;
    if (plans === undefined) return;
    this.#checkFact(plans.from, ["plans", "from"]);
    const fact = parseFact(plans.from);
    if (fact.kind === "header" && !this.#found.trusted.has(fact.name)) {
      const hint = "; clients choose their headers: name it there if a proxy in front sets or deletes it";
      this.#expected(["plans", "from"], "a header that trustedHeaders names", `${show(plans.from)}${hint}`);
    }
    if (fact.kind === "query" || fact.kind === "cookie") {
      this.#expected(["plans", "from"], "a fact that clients cannot choose", show(plans.from));
    }
    for (const [plan, choice] of Object.entries(plans.is)) this.#checkChoice(choice, ["plans", "is", plan]);
  }

  #checkKeys(): void {
    const { keys } = this.#found.rule;
    if (keys === undefined) return;
    const facts = this.#facts;
    if (facts.length !== 1) this.#expected(["keys"], "keys of a rule with one fact in by", `${facts.length} facts`);
    const isAddress = facts.length === 1 && facts[0] === "ip";
    const addresses = new Set<string>();
    for (const [key, choice] of Object.entries(keys)) {
      this.#checkChoice(choice, ["keys", key]);
      if (!isAddress) continue;
      const address = keyOfAddress(key);
      if (address === undefined) this.#expected(["keys", key], "an address", show(key));
      else if (addresses.has(address)) this.#expected(["keys", key], "every address once", `${show(address)} again`);
      else addresses.add(address);
    }
  }

  #checkChoice(choice: Choice, words: Words): void {
    if (typeof choice === "string") return;
    const text = JSON.stringify(choice);
    if (this.#sound.has(text)) return;
    const before = this.#mistakes.count;
    if (limitWordsIn(choice).length > 0) this.#checkLimits(choice, words);
    else if (this.#found.isWhole) this.#expected(words, "a limit: rate, within, quota or inflight", "a map without");
    if (this.#mistakes.count === before) this.#sound.add(text);
  }

  /** The functions that make limits check the numbers. */
  #checkLimits(limits: LimitWords, words: Words): void {
    this.#checkBurst(limits, words);
    const setting = this.#settingWith(undefined);
    for (const word of LIMIT_WORDS) this.#try(() => limitsOfWord(word, limits, setting), [...words, word]);
  }

  #checkBurst({ rate, burst }: LimitWords, words: Words): void {
    if (burst === undefined || (rate === undefined && !this.#found.isWhole)) return;
    const at = [...words, "burst"];
    if (rate === undefined) {
      this.#expected(at, "a rate beside it", "a burst without");
      return;
    }
    const rates = perUnit(rate);
    const expected = "one rate for it";
    if (typeof burst === "number") {
      const count = Object.values(rates).flat().length;
      if (count > 1) this.#expected(at, expected, `${count} rates`);
      return;
    }
    for (const unit of Object.keys(burst)) {
      const count = Object.hasOwn(rates, unit) ? [rates[unit]].flat().length : 0;
      if (count !== 1) this.#expected([...at, unit], expected, `${count} rates of ${show(unit)}`);
    }
  }

  #checkCost(): void {
    const { cost } = this.#found.rule;
    if (cost === undefined) return;
    const units = unitsOfRule(this.#found.rule);
    for (const [unit, unitCost] of Object.entries(perUnit<CostWord>(cost))) {
      const words = typeof cost === "object" ? ["cost", unit] : ["cost"];
      this.#checkCounted(unit, units, words);
      if (typeof unitCost === "string") this.#checkFact(unitCost, words);
      if (typeof unitCost === "object") this.#checkFact(unitCost.from, [...words, "from"]);
    }
  }

  #checkCounted(unit: string, units: ReadonlySet<string>, words: Words): void {
    if (units.has(unit) || !this.#found.isWhole) return;
    const counted = units.size === 0 ? "no unit" : [...units].join(", ");
    this.#expected(words, `a unit that the rule counts (${counted})`, show(unit));
  }

  #checkBlockFor(): void {
    const { blockFor } = this.#found.rule;
    if (blockFor === undefined) return;
    this.#try(() => limitsOfWord("rate", { rate: "1/1s" }, this.#settingWith(blockFor)), ["blockFor"]);
  }

  #settingWith(blockFor: RuleWords["blockFor"]): LimitSetting {
    const mode = this.#found.rule.mode === "shadow" ? "shadow" : "enforce";
    return { rule: "rule", mode, blockFor, unitOf: (unit) => unit };
  }

  get #facts(): readonly string[] {
    return [this.#found.rule.by ?? []].flat();
  }

  #try(make: () => unknown, words: Words): void {
    try {
      make();
    } catch (error) {
      if (!(error instanceof TollgateError)) throw error;
      const option = `${words.find((word) => typeof word === "string" && error.message.startsWith(`${word}: `))}: `;
      const message = error.message.startsWith(option) ? error.message.slice(option.length) : error.message;
      this.#mistakes.add([...this.#found.words, ...words], message);
    }
  }

  #expected(words: Words, expected: string, got: string): void {
    this.#mistakes.expected([...this.#found.words, ...words], expected, got);
  }
}

function limitWordsIn(words: LimitWords): readonly string[] {
  return LIMIT_WORDS.filter((word) => words[word] !== undefined);
}
