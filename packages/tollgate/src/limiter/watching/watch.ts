import { checkChoice, checkOptions, optionError } from "../../core/check-options.ts";
import { checkFunction } from "../../core/checks.ts";
import { notify, type Observation, type Observer } from "../../core/observer.ts";
import type { Held } from "../reserving/held.ts";
import type { DecidedCall } from "./decided-call.ts";
import { Sampler } from "./sampler.ts";

type ObservationType = Observation["type"];

/** Which observations an observer gets. */
export interface ObserveOptions {
  /**
   * All types by default. Decisions are built for an observer of `"decision"`, `"degradation"` or `"block"` only, so an
   * observer of changes costs the calls nothing.
   */
  readonly types?: readonly ObservationType[] | undefined;
}

/** Sees what a limiter decides without being an observer of users: metrics and hot keys. It must not throw. */
export interface Watcher {
  /** It sees 1 in so many calls, chosen at random: a positive integer. Without this it sees all. */
  readonly sees?: number;
  /** 1 in so many calls over a store in this process is timed, on average. Without this none is. */
  readonly times?: number;
  /**
   * A call was decided. The limiter's own keys are those from `from` until `until`. A call of several limiters comes
   * once for each of them that is watched: `call.isFirst` tells. `rule` is set in a domain: the limiter of its rule
   * that has the key.
   */
  decided(call: DecidedCall, from: number, until: number, rule?: string): void;
  /**
   * A call that was chosen has taken so long, observers included. A call of several limiters may come several times.
   */
  timed?(call: DecidedCall, ms: number): void;
  /** A call has waited so long for its turn, by the limiter's clock. */
  waited?(us: number): void;
  /** A reservation has taken places. */
  held?(places: Held): void;
}

/** A watch, and which keys of a call are those of its limiter. */
export interface PlacedWatch {
  readonly watch: Watch;
  readonly from: number;
  readonly until: number;
}

export const NO_WATCHES: readonly PlacedWatch[] = [];

interface Entry {
  readonly observe: Observer;
  readonly types: readonly ObservationType[];
}

const TYPES: readonly ObservationType[] = ["decision", "degradation", "change", "block"];
/** What the limiter that is called tells of each call. Stores tell each limiter the rest. */
const OF_CALLS: readonly ObservationType[] = ["decision", "degradation", "block"];
const NAMES = { types: true } as const;

/** The only hook at the end of a decision: the observers and watchers of one limiter, which come and go. */
export class Watch {
  /** The watch of a domain sees what its rules do. */
  readonly #parent: Watch | undefined;
  /** Those of the limiters of a combination: stores tell these of changes. */
  readonly #members: readonly Watch[];
  #entries: readonly Entry[] = [];
  /** Those that see every call, and those that see some. */
  #watchers: readonly Watcher[] = [];
  #samplers: readonly Watcher[] = [];
  #observesCalls = false;
  #seesAll = false;
  /** Chooses the calls that `#samplers` see. */
  #seen: Sampler | undefined = undefined;
  /** Chooses the calls that are timed. */
  #timed: Sampler | undefined = undefined;

  constructor(observe: Observer | undefined, parent?: Watch, members: readonly Watch[] = []) {
    this.#parent = parent;
    this.#members = members;
    if (observe !== undefined) this.#set([{ observe, types: TYPES }]);
  }

  /** Whether calls have to be told. Without a listener nothing is made for them. */
  get seesCalls(): boolean {
    return this.#seesAll || this.#seen !== undefined || this.#parent?.seesCalls === true;
  }

  /** Whether the next calls need not be told: nothing sees calls, or the sampler of all that do chooses none. */
  skips(calls: number): boolean {
    if (this.#seesAll || this.#parent?.seesCalls === true) return false;
    return this.#seen === undefined || this.#seen.skip(calls);
  }

  /** Whether some observer gets this type. */
  has(type: ObservationType): boolean {
    return this.#entries.some(({ types }) => types.includes(type)) || this.#parent?.has(type) === true;
  }

  /** Whether some calls are timed. */
  get times(): boolean {
    return this.#timed !== undefined || this.#parent?.times === true;
  }

  /** Counts a call. Says whether it is to be timed. */
  drawsTime(): boolean {
    const isOfParent = this.#parent?.drawsTime() === true;
    return this.#timed?.draw() === true || isOfParent;
  }

  /**
   * Adds an observer, and returns a function that removes it.
   *
   * @throws TollgateError `ERR_OPTION`.
   */
  add(observe: Observer, options: ObserveOptions = {}): () => void {
    checkFunction("observe", observe, "a function that is given observations");
    checkOptions("observe", options, NAMES);
    const { types = TYPES } = options;
    checkTypes(types);
    const entry: Entry = { observe, types: [...types] };
    this.#set([...this.#entries, entry]);
    const ofStores = types.filter((type) => !OF_CALLS.includes(type));
    const removals = this.#members.map((member) => member.add(observe, { types: ofStores }));
    return () => {
      for (const remove of removals) remove();
      const entries = this.#entries.filter((one) => one !== entry);
      if (entries.length < this.#entries.length) this.#set(entries);
    };
  }

  /** Adds a watcher, and returns a function that removes it. */
  addWatcher(watcher: Watcher): () => void {
    this.#setWatchers([...this.#all, watcher]);
    return () => this.#setWatchers(this.#all.filter((one) => one !== watcher));
  }

  /** A call was decided, of which these keys are the limiter's. `owner` is its name, and `rule` set for a domain. */
  tell(call: DecidedCall, from: number, until: number, owner?: string, rule?: string): void {
    // Observers may change their decision, and add or remove others.
    if (call.verb !== undefined) this.#tellWatchers(call, from, until, rule);
    if (this.#observesCalls) for (const entry of this.#entries) tellObserver(entry, call);
    this.#parent?.tell(call, from, until, owner, owner);
  }

  #tellWatchers(call: DecidedCall, from: number, until: number, rule: string | undefined): void {
    for (const watcher of this.#watchers) watcher.decided(call, from, until, rule);
    const seen = this.#seen;
    if (seen?.draw() !== true) return;
    for (const watcher of this.#samplers) {
      // The sampler is that of the watcher that sees most.
      if (Math.random() * (watcher.sees ?? 1) < seen.interval) watcher.decided(call, from, until, rule);
    }
  }

  /** A call that was chosen is over, observers included. */
  timed(call: DecidedCall, ms: number, isChosen: boolean): void {
    const interval = this.#timed?.interval ?? 1;
    // The sampler is that of the watcher that times most.
    for (const watcher of this.#all)
      if (!isChosen || Math.random() * (watcher.times ?? Number.POSITIVE_INFINITY) < interval)
        watcher.timed?.(call, ms);
    this.#parent?.timed(call, ms, isChosen);
  }

  /** A call has waited for its turn. */
  waited(us: number): void {
    for (const watcher of this.#all) watcher.waited?.(us);
    this.#parent?.waited(us);
  }

  held(places: Held): void {
    for (const watcher of this.#all) watcher.held?.(places);
    this.#parent?.held(places);
  }

  /** Notifies the observers of a type. `told` has those that are notified already. */
  notify(observation: Observation, told: Set<Observer> = new Set()): void {
    for (const { observe, types } of this.#entries) {
      if (!types.includes(observation.type) || told.has(observe)) continue;
      told.add(observe);
      notify(observe, observation);
    }
    this.#parent?.notify(observation, told);
  }

  #set(entries: readonly Entry[]): void {
    this.#entries = entries;
    this.#observesCalls = entries.some(({ types }) => types.some((type) => OF_CALLS.includes(type)));
    this.#changed();
  }

  get #all(): readonly Watcher[] {
    return this.#samplers.length === 0 ? this.#watchers : [...this.#watchers, ...this.#samplers];
  }

  #setWatchers(all: readonly Watcher[]): void {
    this.#watchers = all.filter(({ sees }) => sees === undefined);
    this.#samplers = all.filter(({ sees }) => sees !== undefined);
    this.#seen = samplerOf(all.flatMap(({ sees }) => sees ?? []));
    this.#timed = samplerOf(all.flatMap(({ times }) => times ?? []));
    this.#changed();
  }

  #changed(): void {
    this.#seesAll = this.#observesCalls || this.#watchers.length > 0;
  }
}

function samplerOf(intervals: readonly number[]): Sampler | undefined {
  return intervals.length === 0 ? undefined : new Sampler(Math.min(...intervals));
}

/** Notifies an observer of a call, of each type once: of an outage, then of the decision and of the block it began. */
function tellObserver(entry: Entry, call: DecidedCall): void {
  const { observe, types } = entry;
  const { degraded } = call;
  if (degraded !== undefined && wants(entry, "degradation", call))
    notify(observe, { type: "degradation", limiter: call.limiter, cause: degraded });
  if (call.verb === undefined) return;
  // The observer might change its decision.
  const begun = types.includes("block") ? call.begunBlock : undefined;
  if (wants(entry, "decision", call)) notify(observe, call.observation);
  if (begun !== undefined && wants(entry, "block", call))
    notify(observe, { type: "block", limiter: call.decision.limiter, keys: call.keys, block: begun });
}

/** Whether an observer is to be notified of a type, and was not, as one of another limiter of the call. */
function wants({ observe, types }: Entry, type: ObservationType, call: DecidedCall): boolean {
  return types.includes(type) && call.isFirst(observe, type);
}

/** @throws TollgateError `ERR_OPTION`. */
function checkTypes(types: unknown): void {
  if (!Array.isArray(types)) throw optionError("types", "a list", types);
  for (const type of types as readonly unknown[]) checkChoice("types", type, TYPES);
}
