import type { Cost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import { show, TollgateError } from "../core/errors.ts";
import { nearestWord } from "../core/nearest-word.ts";
import type { BlockOptions, BlockSpan } from "../limiter/block-span.ts";
import type { Result } from "../limiter/handle.ts";
import { rejected } from "../limiter/promised.ts";
import type { ReservationOf, ReserveOptions } from "../limiter/reservation.ts";
import type { LimitsFile } from "./file/limits-file.ts";
import { isSameValue } from "./file/node-value.ts";
import { checkLimitsFile } from "./file/parse-limits.ts";
import type { KeyHandle, Limits, LimitsHandle } from "./limits.ts";
import { RequestHandle } from "./request-handle.ts";
import { DomainRules } from "./rules/domain-rules.ts";
import { explainRule, type RuleExplanation } from "./rules/explain-rule.ts";
import type { Facts } from "./rules/facts.ts";
import type { RuleStore } from "./rules/rule-limiter.ts";

type Kinds = "sync" | "async";

/** The version of a file that is loaded. A call reads it once. */
interface Version<Kind extends Kinds> {
  readonly domains: ReadonlyMap<string, DomainRules<Kind>>;
}

/** Limits over a store of either kind. */
export class LoadedLimits<Kind extends Kinds> implements Limits<Kind> {
  readonly kind: Kind;
  readonly #where: RuleStore;
  readonly #closeStore: () => void;
  #version: Version<Kind>;
  /** How many updates have begun: a later one takes the place of one that is still compiling. */
  #updates = 0;

  /** `file` is checked. */
  constructor(kind: Kind, file: LimitsFile, where: RuleStore, closeStore: () => void) {
    this.kind = kind;
    this.#where = where;
    this.#closeStore = closeStore;
    this.#version = finish(this.#load(file, new Map()));
  }

  get domains(): readonly string[] {
    return [...this.#version.domains.keys()];
  }

  consume(domain: string, facts: Facts, cost?: Cost): Result<Kind, Decision> {
    return this.#try(() => {
      const rules = this.#domain(domain);
      const request = rules.request(facts);
      const set = rules.setOf(request);
      return set.limiter.consume(request, set.cost.of(request, cost));
    });
  }

  peek(domain: string, facts: Facts, cost?: Cost): Result<Kind, Decision> {
    return this.#try(() => {
      const rules = this.#domain(domain);
      const request = rules.request(facts);
      const set = rules.setOf(request);
      return set.limiter.peek(request, set.cost.of(request, cost));
    });
  }

  charge(domain: string, facts: Facts, cost: Cost, decision?: Decision): Result<Kind, Decision> {
    return this.#try(() => this.handle(domain, facts).charge(cost, decision));
  }

  refund(domain: string, facts: Facts, cost: Cost, decision?: Decision): Result<Kind, void> {
    return this.#try(() => this.handle(domain, facts).refund(cost, decision));
  }

  reserve(domain: string, facts: Facts, cost?: Cost, options?: ReserveOptions): Result<Kind, ReservationOf<Kind>> {
    return this.#try(() => this.handle(domain, facts).reserve(cost, options));
  }

  block(domain: string, facts: Facts, span: BlockSpan, options?: BlockOptions): Result<Kind, void> {
    return this.#try(() => this.handle(domain, facts).block(span, options));
  }

  unblock(domain: string, facts: Facts): Result<Kind, boolean> {
    return this.#try(() => this.handle(domain, facts).unblock());
  }

  reset(domain: string, facts: Facts): Result<Kind, void> {
    return this.#try(() => this.handle(domain, facts).reset());
  }

  handle(domain: string, facts: Facts): LimitsHandle<Kind> {
    const rules = this.#domain(domain);
    const request = rules.request(facts);
    return new RequestHandle(rules.setOf(request), request);
  }

  byKey(domain: string, rule: string, key: string | readonly string[]): KeyHandle<Kind> {
    const rules = this.#domain(domain);
    const found = rules.ruleOf(rule);
    if (found === undefined)
      throw unknownError(
        "rule",
        rule,
        rules.rules.map(({ name }) => name),
      );
    return rules.limiterOf(found).byKey(key);
  }

  explain(domain: string, facts: Facts): readonly RuleExplanation[] {
    const rules = this.#domain(domain);
    const request = rules.request(facts);
    return rules.rules.map((rule) => explainRule(rule, request));
  }

  update(file: LimitsFile): void {
    this.#updates += 1;
    this.#replace(finish(this.#load(checkLimitsFile(file), this.#version.domains)));
  }

  async updateInSteps(file: LimitsFile): Promise<boolean> {
    this.#updates += 1;
    const own = this.#updates;
    const loading = this.#load(checkLimitsFile(file), this.#version.domains);
    for (let step = loading.next(); ; step = loading.next()) {
      if (step.done === true) {
        this.#replace(step.value);
        return true;
      }
      await otherWork();
      if (own !== this.#updates) return false;
    }
  }

  #replace(version: Version<Kind>): void {
    const before = this.#version;
    this.#version = version;
    for (const [name, domain] of before.domains) if (version.domains.get(name) !== domain) domain.close();
  }

  close(): Result<Kind, void> {
    return this.#try(() => {
      for (const domain of this.#version.domains.values()) domain.close();
      this.#closeStore();
      return (this.kind === "sync" ? undefined : Promise.resolve()) as Result<Kind, void>;
    });
  }

  /** A domain that has not changed stays, with its limiters. */
  *#load(file: LimitsFile, before: ReadonlyMap<string, DomainRules<Kind>>): Generator<undefined, Version<Kind>> {
    const domains = new Map<string, DomainRules<Kind>>();
    for (const [name, words] of Object.entries(file.domains)) {
      const known = before.get(name);
      const isSame = known !== undefined && isSameValue(known.words, words);
      domains.set(name, isSame ? known : yield* DomainRules.compile<Kind>(name, words, this.#where));
      yield;
    }
    return { domains };
  }

  #domain(name: string): DomainRules<Kind> {
    const domain = this.#version.domains.get(name);
    if (domain === undefined) throw unknownError("domain", name, this.domains);
    return domain;
  }

  /** Over an asynchronous store, what a verb throws becomes a rejection. */
  #try<T>(call: () => Result<Kind, T>): Result<Kind, T> {
    if (this.kind === "sync") return call();
    try {
      return call();
    } catch (error) {
      return rejected(error) as Result<Kind, T>;
    }
  }
}

/** Takes all steps at once. */
function finish<Value>(steps: Generator<undefined, Value>): Value {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Resolves when the event loop has gone round. */
function otherWork(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 0));
}

function unknownError(option: string, name: unknown, known: readonly string[]): TollgateError {
  const nearest = nearestWord(String(name), known);
  const hint = nearest === undefined ? "" : `; did you mean ${JSON.stringify(nearest)}?`;
  return new TollgateError("ERR_OPTION", `${option}: expected one that the limits file has, got ${show(name)}${hint}`);
}
