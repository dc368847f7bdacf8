import type { Clock } from "../../core/clock.ts";
import { Observers } from "../../limiter/observers.ts";
import { AsyncRoutedLimiter, SyncRoutedLimiter } from "../../limiter/routed-limiter.ts";
import type { RoutedTo, Router } from "../../limiter/router.ts";
import type { Source } from "../../limiter/selection.ts";
import type { DomainWords } from "../file/limits-file.ts";
import { isSameDomain } from "../file/same-domain.ts";
import type { DomainLimiter } from "../limits.ts";
import type { ClientAddresses } from "./client-addresses.ts";
import { DomainRules, type RuleSet } from "./domain-rules.ts";
import type { Facts } from "./facts.ts";
import { AMOUNT_WORDS } from "./limit-words.ts";
import type { Request } from "./request.ts";
import type { RuleStore } from "./rule-limiter.ts";

type Kinds = "sync" | "async";

/** A domain in all versions of a file: its limiter outlasts them. */
export class Domain<Kind extends Kinds> implements Router<Kind, Facts, Request> {
  readonly kind: Kind;
  readonly name: string;
  readonly clock: Clock;
  readonly sources: readonly Source[];
  readonly observers: Observers = new Observers(undefined);
  readonly limiter: DomainLimiter<Kind>;
  readonly #where: RuleStore;
  readonly #clients: ClientAddresses;
  readonly #unknown: (name: string) => Error;
  #rules: DomainRules<Kind> | undefined;

  /** `unknown` makes the error of calls while the file does not have the domain. */
  constructor(kind: Kind, name: string, where: RuleStore, clients: ClientAddresses, unknown: (name: string) => Error) {
    this.kind = kind;
    this.name = name;
    this.clock = where.clock;
    const { store } = where;
    this.sources = [
      { store: (store.kind === "sync" ? store.identity : undefined) ?? store, opened: store, scope: name },
    ];
    this.#where = where;
    this.#clients = clients;
    this.#unknown = unknown;
    const limiter: unknown =
      kind === "sync"
        ? new SyncRoutedLimiter(this as Router<"sync", Facts, Request>)
        : new AsyncRoutedLimiter(this as Router<"async", Facts, Request>);
    this.limiter = limiter as DomainLimiter<Kind>;
  }

  /** The rules of the version of the file that is loaded. */
  get rules(): DomainRules<Kind> {
    if (this.#rules === undefined) throw this.#unknown(this.name);
    return this.#rules;
  }

  /** Compiles another version. Rules that have not changed stay, with their limiters. */
  *compile(words: DomainWords): Generator<undefined, DomainRules<Kind>> {
    const known = this.#rules;
    if (known !== undefined && (yield* isSameDomain(known.words, words))) return known;
    return yield* DomainRules.compile<Kind>(this.name, words, this.#where, this.observers);
  }

  /** Replaces the version. Without rules, the file does not have the domain. @returns those before, to be retired. */
  load(rules: DomainRules<Kind> | undefined): DomainRules<Kind> | undefined {
    const before = this.#rules;
    this.#rules = rules;
    return before === rules ? undefined : before;
  }

  close(): void {
    this.#rules?.close();
  }

  read(facts: Facts): Request {
    return this.rules.request(facts, this.#clients);
  }

  routeOf(request: Request): RuleSet<Kind> {
    return this.rules.setOf(request);
  }

  limiters(): readonly RoutedTo<Kind, never>[] {
    const { rules } = this;
    return rules.rules.map((rule) => rules.limiterOf(rule));
  }

  usedLimiters(): readonly RoutedTo<Kind, never>[] {
    return this.#rules?.usedLimiters ?? [];
  }

  /** Limits are named `RULE.WORD`, and what follows. Names of rules may have dots, too. */
  limiterOf(limit: string): string {
    const parts = limit.split(".");
    const ends = parts.flatMap((part, i) => (i > 0 && WORDS.has(part.split("#", 1)[0]!) ? [i] : []));
    const names = ends.map((end) => parts.slice(0, end).join("."));
    return `${this.name}/${names.find((name) => this.#rules?.ruleOf(name) !== undefined) ?? names[0] ?? limit}`;
  }
}

const WORDS: ReadonlySet<string> = new Set([...AMOUNT_WORDS, "inflight"]);
