import { optionError } from "../core/check-options.ts";
import type { Cost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import { show, TollgateError } from "../core/errors.ts";
import { later } from "../core/maybe-async.ts";
import type { BlockOptions, BlockTime } from "../limiter/block-time.ts";
import type { JointDecision } from "../limiter/deciding/joint-call.ts";
import type { Result } from "../limiter/kinds.ts";
import type { ReservationOf, ReserveOptions } from "../limiter/reserving/reservation.ts";
import type { KeyVerbs, WithInput } from "../limiter/verbs.ts";
import type { DomainWords, LimitsFile } from "./file/limits-file.ts";
import { hintOf } from "./file/mistakes.ts";
import { checkLimitsFile } from "./file/parse-limits.ts";
import type { DomainLimiter, KeyHandle, Limits, LimitsHandle, RequestWithCost } from "./limits.ts";
import type { ClientAddresses } from "./rules/client-addresses.ts";
import { Domain } from "./rules/domain.ts";
import type { DomainRules } from "./rules/domain-rules.ts";
import type { RuleExplanation } from "./rules/explain-rule.ts";
import type { Facts } from "./rules/facts.ts";
import { consumeAll } from "./rules/joint-calls.ts";
import type { RuleStore } from "./rules/rule-limiter.ts";
import { finish, inTurns, type Steps } from "./rules/steps.ts";

type Kinds = "sync" | "async";

/** The domains of a version of the file, with their rules. */
type Version<Kind extends Kinds> = ReadonlyMap<Domain<Kind>, DomainRules>;

/** How many domains are kept that the file has no longer: their limiters work again when the domain comes back. */
const MOST_GONE = 100;

/** Limits over a store of either kind. */
export class LoadedLimits<Kind extends Kinds> implements Limits<Kind> {
  readonly kind: Kind;
  readonly #where: RuleStore;
  readonly #clients: ClientAddresses;
  readonly #closeStore: () => void;
  /** Those that a version of the file has had, those of the latest version last. */
  readonly #known = new Map<string, Domain<Kind>>();
  #names: readonly string[] = [];
  /** How many updates have begun: a later one takes the place of one that is still compiling. */
  #updates = 0;
  /** What is left of closing the limiters of versions before. */
  readonly #retiring = new Set<Steps<void>>();

  /** `file` is checked. */
  constructor(kind: Kind, file: LimitsFile, where: RuleStore, clients: ClientAddresses, closeStore: () => void) {
    this.kind = kind;
    this.#where = where;
    this.#clients = clients;
    this.#closeStore = closeStore;
    this.#replace(finish(this.#load(file)));
  }

  get domains(): readonly string[] {
    return this.#names;
  }

  units(domain: string): ReadonlySet<string> {
    return this.#domain(domain).rules.units;
  }

  limiter(domain: string): DomainLimiter<Kind> {
    return this.#domain(domain).limiter;
  }

  consume(domain: string, facts: Facts, cost?: Cost): Result<Kind, Decision> {
    return this.#verbs(domain).consume(facts, cost);
  }

  consumeAll(domain: string, requests: readonly RequestWithCost[]): Result<Kind, JointDecision> {
    const work = () => {
      const { rules, limiter } = this.#domain(domain);
      const given: unknown = requests;
      if (!Array.isArray(given)) throw optionError("consumeAll", "a list of { facts, cost }", given);
      const read = requests.map(({ facts, cost }) => ({ request: rules.request(facts, this.#clients), cost }));
      return consumeAll(rules, limiter, read);
    };
    return (this.kind === "sync" ? work() : later(work)) as Result<Kind, JointDecision>;
  }

  peek(domain: string, facts: Facts, cost?: Cost): Result<Kind, Decision> {
    return this.#verbs(domain).peek(facts, cost);
  }

  charge(domain: string, facts: Facts, cost: Cost, decision?: Decision): Result<Kind, Decision> {
    return this.#verbs(domain).charge(facts, cost, decision);
  }

  refund(domain: string, facts: Facts, cost: Cost, decision?: Decision): Result<Kind, void> {
    return this.#verbs(domain).refund(facts, cost, decision);
  }

  reserve(domain: string, facts: Facts, cost?: Cost, options?: ReserveOptions): Result<Kind, ReservationOf<Kind>> {
    return this.#verbs(domain).reserve(facts, cost, options);
  }

  block(domain: string, facts: Facts, span: BlockTime, options?: BlockOptions): Result<Kind, void> {
    return this.#verbs(domain).block(facts, span, options);
  }

  unblock(domain: string, facts: Facts): Result<Kind, boolean> {
    return this.#verbs(domain).unblock(facts);
  }

  reset(domain: string, facts: Facts): Result<Kind, void> {
    return this.#verbs(domain).reset(facts);
  }

  handle(domain: string, facts: Facts): LimitsHandle<Kind> {
    return this.#domain(domain).handle(facts);
  }

  byKey(domain: string, rule: string, key: string | readonly string[]): KeyHandle<Kind> {
    const { rules } = this.#domain(domain);
    const found = rules.ruleOf(rule);
    if (found === undefined) {
      const names = rules.rules.map(({ name }) => name);
      throw unknownError("rule", rule, names);
    }
    const limiter = rules.limiterOf(found);
    const own = found.keyOfTexts(key);
    // The limiter then knows all limits of the key, even where only other processes have counted it.
    if (limiter.selection.fixed === undefined) for (const limits of found.listsOf(own)) limiter.byKey(own, limits);
    const handle: unknown = limiter.handleOn((into) => {
      limiter.selection.selectKey(own, undefined, into);
      const { lacksLimits } = into;
      // All limits of the key are known: one without counts is reset.
      if (lacksLimits !== undefined) into.lacksLimits = (verb) => verb ?? lacksLimits();
    });
    return handle as KeyHandle<Kind>;
  }

  explain(domain: string, facts: Facts): readonly RuleExplanation[] {
    const known = this.#domain(domain);
    const request = known.read(facts);
    return known.rules.explain(request);
  }

  update(file: LimitsFile): void {
    this.#updates += 1;
    finish(this.#replace(finish(this.#load(checkLimitsFile(file)))));
  }

  async updateInSteps(file: LimitsFile): Promise<boolean> {
    this.#updates += 1;
    const own = this.#updates;
    const version = await inTurns(this.#load(checkLimitsFile(file)), () => own === this.#updates);
    if (version === undefined) return false;
    // The update is made: calls are decided by the new version.
    void this.#retireInTurns(this.#replace(version));
    return true;
  }

  /** Between two calls. @returns what closes the limiters that are in force no longer. */
  #replace(version: Version<Kind>): Steps<void> {
    for (const domain of version.keys()) {
      this.#known.delete(domain.name);
      this.#known.set(domain.name, domain);
    }
    this.#names = [...version.keys()].map(({ name }) => name);
    const replaced = [...this.#known.values()].flatMap((domain) => domain.load(version.get(domain)) ?? []);
    const gone = [...this.#known.values()].filter((domain) => !version.has(domain));
    for (const { name } of gone.slice(0, -MOST_GONE)) this.#known.delete(name);
    return retire(replaced);
  }

  async #retireInTurns(steps: Steps<void>): Promise<void> {
    this.#retiring.add(steps);
    await inTurns(steps, () => true);
    this.#retiring.delete(steps);
  }

  close(): Result<Kind, void> {
    for (const steps of this.#retiring) finish(steps);
    for (const domain of this.#known.values()) domain.close();
    this.#closeStore();
    return (this.kind === "sync" ? undefined : Promise.resolve()) as Result<Kind, void>;
  }

  /** A domain that has not changed stays, with its limiters. */
  *#load(file: LimitsFile): Steps<Version<Kind>> {
    const version = new Map<Domain<Kind>, DomainRules>();
    for (const [name, words] of Object.entries(file.domains)) {
      const domain = this.#known.get(name) ?? this.#make(name);
      version.set(domain, yield* domain.compile(withPolicy(words, file)));
      yield;
    }
    return version;
  }

  #make(name: string): Domain<Kind> {
    return new Domain<Kind>(name, this.#where, this.#clients, () => unknownError("domain", name, this.#names));
  }

  #domain(name: string): Domain<Kind> {
    const domain = this.#known.get(name);
    if (domain === undefined) throw unknownError("domain", name, this.#names);
    // Throws if the file has it no longer.
    void domain.rules;
    return domain;
  }

  /** The verbs of a domain throw or reject if the file does not have it. */
  #verbs(name: string): WithInput<Facts, KeyVerbs<Kind>> {
    const limiter: unknown = (this.#known.get(name) ?? this.#make(name)).limiter;
    return limiter as WithInput<Facts, KeyVerbs<Kind>>;
  }
}

/** The words of a domain with the failure policy that holds in it. */
function withPolicy(words: DomainWords, { onFailure }: LimitsFile): DomainWords {
  return onFailure === undefined || words.onFailure !== undefined ? words : { ...words, onFailure };
}

function* retire(replaced: readonly DomainRules[]): Steps<void> {
  for (const rules of replaced) yield* rules.retire();
}

function unknownError(option: string, name: unknown, known: readonly string[]): TollgateError {
  const got = `${show(name)}${hintOf(String(name), known)}`;
  return new TollgateError("ERR_OPTION", `${option}: expected one that the limits file has, got ${got}`);
}
