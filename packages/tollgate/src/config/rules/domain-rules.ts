import { ListCache } from "../../limiter/choosing/list-cache.ts";
import type { RulesOwner } from "../../limiter/create-limiter.ts";
import type { DomainWords } from "../file/limits-file.ts";
import type { ClientAddresses } from "./client-addresses.ts";
import { explainRule, type RuleExplanation } from "./explain-rule.ts";
import type { Facts } from "./facts.ts";
import { Request } from "./request.ts";
import { nameUnits, RequestCost } from "./request-cost.ts";
import { Rule } from "./rule.ts";
import { RuleIndex } from "./rule-index.ts";
import { closeAfterWaits, limiterOf, type RuleLimiter, type RuleStore } from "./rule-limiter.ts";
import type { Steps } from "./steps.ts";

/** The rules that count a request together, and what a call costs in them. */
export interface RuleSet {
  readonly rules: readonly Rule[];
  /** One for each rule. */
  readonly limiters: readonly RuleLimiter[];
  readonly pricing: RequestCost;
}

/** One version of a domain: its rules, and the limiters that requests have needed. */
export class DomainRules {
  readonly rules: Rule[] = [];
  readonly words: DomainWords;
  /** Whether a rule may count places. */
  mayTakePlaces = false;
  readonly #domain: RulesOwner;
  readonly #where: RuleStore;
  readonly #index = new RuleIndex();
  readonly #limiters = new Map<Rule, RuleLimiter>();
  /** By the rules that are in them. */
  readonly #sets = new ListCache<Rule, RuleSet>();
  #byName: ReadonlyMap<string, Rule> | undefined;
  #units: ReadonlySet<string> | undefined;

  /** `compile` comes next. */
  constructor(domain: RulesOwner, words: DomainWords, where: RuleStore) {
    this.#domain = domain;
    this.words = words;
    this.#where = where;
  }

  /** Compiles the rules, step by step: a large file must not block the thread for long. */
  *compile(): Steps<this> {
    const { ignoreCase = false, limits } = this.words;
    for (const [name, words] of Object.entries(limits)) {
      const rule = yield* Rule.compile(name, this.rules.length, words, ignoreCase);
      this.rules.push(rule);
      this.mayTakePlaces ||= rule.mayTakePlaces;
      yield;
    }
    yield* nameUnits(this.rules);
    for (const rule of this.rules) {
      if (rule.isOn) this.#index.add(rule);
      yield;
    }
    return this;
  }

  request(facts: Facts, clients: ClientAddresses): Request {
    return new Request(facts, this.words.ignoreCase ?? false, clients);
  }

  setOf(request: Request): RuleSet {
    const rules = this.#index.find(request);
    return this.#sets.get(rules) ?? this.setFor(rules);
  }

  /** What is known of some rules, whatever requests they count. */
  setFor(rules: readonly Rule[]): RuleSet {
    const known = this.#sets.get(rules);
    if (known !== undefined) return known;
    const limiters = rules.map((rule) => this.limiterOf(rule));
    const set = { rules, limiters, pricing: new RequestCost(rules) };
    this.#sets.set(rules, set);
    return set;
  }

  /** What each rule says about a request. Nothing is counted. */
  explain(request: Request): readonly RuleExplanation[] {
    // The search says whether the path takes too long to compare.
    this.#index.find(request);
    return this.rules.map((rule) => explainRule(rule, request));
  }

  /** The units that its rules count. */
  get units(): ReadonlySet<string> {
    this.#units ??= new Set(this.rules.flatMap(({ units }) => units));
    return this.#units;
  }

  ruleOf(name: string): Rule | undefined {
    this.#byName ??= new Map(this.rules.map((rule) => [rule.name, rule]));
    return this.#byName.get(name);
  }

  limiterOf(rule: Rule): RuleLimiter {
    let limiter = this.#limiters.get(rule);
    if (limiter === undefined) {
      limiter = limiterOf(this.#domain, rule, this.#where, rule.words.onFailure ?? this.words.onFailure);
      this.#limiters.set(rule, limiter);
    }
    return limiter;
  }

  /** The limiters that requests have needed. */
  get usedLimiters(): readonly RuleLimiter[] {
    return [...this.#limiters.values()];
  }

  /** Ends what its limiters do by themselves. Requests in flight are still decided. */
  close(): void {
    for (const limiter of this.#limiters.values()) limiter.end();
  }

  /** Works like `close` when another version is loaded, step by step: calls that wait go on waiting. */
  *retire(): Steps<void> {
    for (const limiter of this.#limiters.values()) {
      closeAfterWaits(limiter);
      yield;
    }
  }
}
