import type { Cost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import { encodeKey } from "../core/key.ts";
import type { SyncSpace } from "../core/store.ts";
import type { Verb } from "../core/verbs.ts";
import type { Choice } from "./choice.ts";
import type { LineGuard } from "./line-guard.ts";
import type { ObservedVerb } from "./notify-decision.ts";
import type { Observers } from "./observers.ts";
import type { FixedSelection } from "./selection.ts";
import type { Stopwatch } from "./stopwatch.ts";
import type { StoreLimiterParts } from "./store-limiter.ts";
import { SyncDecider } from "./sync-decider.ts";

type Parts<Input> = StoreLimiterParts<Input, SyncSpace>;

/** The decider of a limiter with these observers. Without any it is `unobserved`. */
export function deciderFor<Input>(
  parts: Parts<Input>,
  guard: LineGuard,
  unobserved: SyncDecider<Input>,
): SyncDecider<Input> {
  const { name, clock, selection, observers } = parts;
  const { ofCalls, stopwatch } = observers;
  if (ofCalls === undefined) return unobserved;
  if (stopwatch === undefined) return new SyncDecider(name, clock, selection, ofCalls, guard);
  return new MeteredDecider(parts, guard, unobserved, stopwatch);
}

/** Times some decisions for meters. Each is made as without them. */
class MeteredDecider<Input> extends SyncDecider<Input> {
  readonly #guard: LineGuard;
  readonly #unobserved: SyncDecider<Input>;
  readonly #stopwatch: Stopwatch;
  readonly #observers: Observers;
  /** Set if the limits are fixed, and count no places. */
  readonly #direct: FixedSelection<Input, SyncSpace> | undefined;

  constructor(parts: Parts<Input>, guard: LineGuard, unobserved: SyncDecider<Input>, stopwatch: Stopwatch) {
    const { name, clock, selection, observers } = parts;
    super(name, clock, selection, observers.ofCalls, guard);
    const { fixed } = selection;
    this.#guard = guard;
    this.#unobserved = unobserved;
    this.#stopwatch = stopwatch;
    this.#observers = observers;
    this.#direct = fixed?.list().takesPlaces === true ? undefined : fixed;
  }

  /** Limiters with a meter ask this for fixed limits, too, so that the time includes that of the key function. */
  override allow(input: Input, cost: Cost): boolean {
    return this.#stopwatch.draw() ? this.#stopwatch.time(() => this.#allow(input, cost)) : this.#allow(input, cost);
  }

  override allowFixed(fixed: FixedSelection<Input, SyncSpace>, key: string, cost: Cost): boolean {
    if (!this.#stopwatch.draw()) return super.allowFixed(fixed, key, cost);
    return this.#stopwatch.time(() => super.allowFixed(fixed, key, cost));
  }

  override allowChosen(choice: Choice<SyncSpace>, cost: Cost): boolean {
    if (!this.#stopwatch.draw()) return super.allowChosen(choice, cost);
    return this.#stopwatch.time(() => super.allowChosen(choice, cost));
  }

  /** Works as `allow` for fixed limits. */
  override decide(input: Input, name: ObservedVerb, verb: Verb, cost: Cost): Decision {
    if (!this.#isChosen(name)) return this.#decide(input, name, verb, cost);
    return this.#stopwatch.time(() => this.#decide(input, name, verb, cost));
  }

  override decideChosen(choice: Choice<SyncSpace>, name: ObservedVerb, verb: Verb, cost: Cost): Decision {
    if (!this.#isChosen(name)) return super.decideChosen(choice, name, verb, cost);
    return this.#stopwatch.time(() => super.decideChosen(choice, name, verb, cost));
  }

  override decideFixed(
    fixed: FixedSelection<Input, SyncSpace>,
    key: string,
    name: ObservedVerb,
    verb: Verb,
    cost: Cost,
  ): Decision {
    if (!this.#isChosen(name)) return this.#decideFixed(fixed, key, name, verb, cost);
    return this.#stopwatch.time(() => this.#decideFixed(fixed, key, name, verb, cost));
  }

  #allow(input: Input, cost: Cost): boolean {
    const direct = this.#direct;
    if (direct === undefined || this.#guard.someWait) return super.allow(input, cost);
    return super.allowFixed(direct, encodeKey(direct.key(input)), cost);
  }

  #isChosen(name: ObservedVerb): boolean {
    return name !== undefined && name !== "correction" && this.#stopwatch.draw();
  }

  #decide(input: Input, name: ObservedVerb, verb: Verb, cost: Cost): Decision {
    const direct = this.#direct;
    if (direct === undefined || this.#guard.someWait) return super.decide(input, name, verb, cost);
    return this.#decideFixed(direct, encodeKey(direct.key(input)), name, verb, cost);
  }

  /** Without observers no observation is made. */
  #decideFixed(
    fixed: FixedSelection<Input, SyncSpace>,
    key: string,
    name: ObservedVerb,
    verb: Verb,
    cost: Cost,
  ): Decision {
    if (this.#observers.notesQuick === undefined) return super.decideFixed(fixed, key, name, verb, cost);
    const decision = this.#unobserved.decideFixed(fixed, key, name, verb, cost);
    if (name !== undefined && name !== "correction") this.#observers.noteDecided(key, decision);
    return decision;
  }
}
