import type { Cost } from "../../core/cost.ts";
import type { Decision } from "../../core/decision.ts";
import { TollgateError } from "../../core/errors.ts";
import { decodeKey } from "../../core/key.ts";
import type { Maybe } from "../../core/maybe-async.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import { blockedIn } from "../../limiter/administration.ts";
import type { Owner } from "../../limiter/choosing/owner.ts";
import type { Selected } from "../../limiter/choosing/selected.ts";
import type { FixedSelection, Selection } from "../../limiter/choosing/selection.ts";
import type { Space } from "../../limiter/choosing/space.ts";
import { AsyncAsker } from "../../limiter/deciding/async-asker.ts";
import { SyncAsker } from "../../limiter/deciding/sync-asker.ts";
import type { BlockedKey } from "../../limiter/limiter.ts";
import { limiterOf } from "../../limiter/limiters.ts";
import type { Members, StoreLimiter } from "../../limiter/store-limiter.ts";
import { Watch } from "../../limiter/watching/watch.ts";
import type { DomainWords } from "../file/limits-file.ts";
import type { DomainLimiter, LimitsHandle } from "../limits.ts";
import type { ClientAddresses } from "./client-addresses.ts";
import { DomainRules, type RuleSet } from "./domain-rules.ts";
import type { Facts } from "./facts.ts";
import { LIMIT_WORDS } from "./limit-words.ts";
import type { Request } from "./request.ts";
import type { RuleLimiter, RuleStore } from "./rule-limiter.ts";
import type { Steps } from "./steps.ts";

type Kinds = "sync" | "async";

/** A domain in all versions of a file: its limiter outlasts them. It selects the rules that count a request. */
export class Domain<Kind extends Kinds> implements Selection<Facts>, Members {
  readonly name: string;
  readonly limiter: DomainLimiter<Kind> & StoreLimiter<Facts>;
  readonly watch: Watch = new Watch(undefined);
  readonly fixed: FixedSelection<Facts> | undefined = undefined;
  readonly #where: RuleStore;
  readonly #clients: ClientAddresses;
  readonly #unknown: (name: string) => Error;
  #rules: DomainRules | undefined;

  /** `unknown` makes the error of calls while the file does not have the domain. */
  constructor(name: string, where: RuleStore, clients: ClientAddresses, unknown: (name: string) => Error) {
    const { store, clock, lostCorrections } = where;
    this.name = name;
    this.#where = where;
    this.#clients = clients;
    this.#unknown = unknown;
    const identity = store.kind === "sync" ? store.identity : undefined;
    const limiter: unknown = limiterOf<Facts>({
      kind: store.kind,
      name,
      keyed: true,
      clock,
      selection: this,
      asker: store.kind === "sync" ? new SyncAsker(clock) : new AsyncAsker(store, clock),
      watch: this.watch,
      lostCorrections,
      sources: [{ store: identity ?? store, opened: store, scope: name }],
      members: this,
      end: () => this.close(),
    });
    this.limiter = limiter as DomainLimiter<Kind> & StoreLimiter<Facts>;
  }

  /** The rules of the version of the file that is loaded. */
  get rules(): DomainRules {
    if (this.#rules === undefined) throw this.#unknown(this.name);
    return this.#rules;
  }

  /** Compiles another version. Rules that have not changed stay, with their limiters. */
  *compile(words: DomainWords): Steps<DomainRules> {
    const known = this.#rules;
    if (known !== undefined && (yield* areSame(known.words, words))) return known;
    return yield* new DomainRules(this, words, this.#where).compile();
  }

  /** Replaces the version. Without rules, the file does not have the domain. @returns those before, to be retired. */
  load(rules: DomainRules | undefined): DomainRules | undefined {
    const before = this.#rules;
    this.#rules = rules;
    return before === rules ? undefined : before;
  }

  close(): void {
    this.#rules?.close();
  }

  get mayTakePlaces(): boolean {
    return this.rules.mayTakePlaces;
  }

  /** A call that one rule counts is a call of the rule's limiter, which may have a short way. */
  send(verb: "allow" | "consume", facts: Facts, cost: Cost | undefined): Maybe<boolean | Decision> {
    const { rules } = this;
    const request = rules.request(facts, this.#clients);
    const set = rules.setOf(request);
    if (set.limiters.length === 1) return set.limiters[0]![verb](request, set.pricing.of(request, cost));
    return this.limiter.handleOnce((into) => this.#select(request, set, into))[verb](cost);
  }

  read(facts: Facts): Request {
    return this.rules.request(facts, this.#clients);
  }

  select(facts: Facts, into: Selected): void {
    const request = this.read(facts);
    this.#select(request, this.rules.setOf(request), into);
  }

  #select(request: Request, { limiters, pricing }: RuleSet, into: Selected): void {
    const from = into.keys.length;
    for (const { selection } of limiters) void selection.select(request, into);
    const keys = into.keys.length - from;
    into.prices = [...into.prices, { pricing, input: request, keys }];
    // The watch of each rule tells that of the domain.
    if (keys === 0 && this.watch.seesCalls) into.watches = [...into.watches, { watch: this.watch, from, until: from }];
  }

  selectKey(): never {
    throw new TollgateError(
      "ERR_COMBINE",
      `byKey: expected a limiter with one key, got ${JSON.stringify(this.name)}, whose rules have their own; ` +
        "ask byKey(domain, rule, key) of the limits",
    );
  }

  selectKeyOf(limiter: string, encoded: string, into: Selected): void {
    const key = decodeKey(encoded);
    if (key !== undefined) this.#used.find(({ name }) => name === limiter)?.selection.selectKey(key, undefined, into);
  }

  /** A request with its rules, in the version of the file in which they were found. */
  handle(facts: Facts): LimitsHandle<Kind> {
    const request = this.read(facts);
    const set = this.rules.setOf(request);
    const handle: unknown = this.limiter.handleOn((into) => this.#select(request, set, into));
    return Object.assign(handle as LimitsHandle<Kind>, { rules: set.rules.map(({ name }) => name) });
  }

  get owners(): readonly Owner[] {
    return this.#used.flatMap(({ selection }) => selection.owners);
  }

  /** Those of all rules. */
  spaces(): readonly Space[] {
    const { rules } = this;
    return rules.rules.flatMap((rule) => rules.limiterOf(rule).selection.spaces());
  }

  release(): void {
    for (const { selection } of this.#used) selection.release();
  }

  get #used(): readonly RuleLimiter[] {
    return this.#rules?.usedLimiters ?? [];
  }

  blocked(now: TimeCell): BlockedKey[] {
    const { store, clock } = this.#where;
    return this.rules.rules.flatMap(({ name }) => {
      const limiter = `${this.name}/${name}`;
      const blocks = store.blocks?.(limiter, limiter, { clock });
      return blockedIn(blocks, now).map((key) => ({ limiter, ...key }));
    });
  }

  hasLimiter(name: string): boolean {
    const isOfFile = this.#rules?.ruleOf(name.slice(this.name.length + 1)) !== undefined;
    return isOfFile || this.#used.some((limiter) => limiter.name === name);
  }

  /** Limits are named `RULE.WORD`, and what follows. Names of rules may have dots, too. */
  limiterOf(limit: string): string {
    const parts = limit.split(".");
    const ends = parts.flatMap((part, i) => (i > 0 && WORDS.has(part.split("#", 1)[0]!) ? [i] : []));
    const names = ends.map((end) => parts.slice(0, end).join("."));
    return `${this.name}/${names.find((name) => this.#rules?.ruleOf(name) !== undefined) ?? names[0] ?? limit}`;
  }
}

/** Whether words say the same, in the same order: rule by rule, because texts of large files take long. */
function* areSame(one: DomainWords, other: DomainWords): Steps<boolean> {
  const common = ({ limits, ...words }: DomainWords) => JSON.stringify([words, Object.keys(limits)]);
  if (common(one) !== common(other)) return false;
  for (const rule of Object.keys(one.limits)) {
    if (JSON.stringify(one.limits[rule]) !== JSON.stringify(other.limits[rule])) return false;
    yield;
  }
  return true;
}

const WORDS: ReadonlySet<string> = new Set(LIMIT_WORDS);
