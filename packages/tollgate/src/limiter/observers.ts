import { checkChoice, checkOptions, optionError } from "../core/check-options.ts";
import { checkFunction } from "../core/checks.ts";
import type { Block, Decision } from "../core/decision.ts";
import { type DecisionObservation, notify, type Observation, type Observer } from "../core/observer.ts";
import type { LookedOutcome } from "../core/store-readings.ts";
import type { HeldPlaces } from "./held-places.ts";
import type { Sampler } from "./sampler.ts";
import { Stopwatch } from "./stopwatch.ts";
import { type Meter, type PlacedTap, type Tap, Taps } from "./taps.ts";

type ObservationType = Observation["type"];

/** Which observations an observer gets. */
export interface ObserveOptions {
  /**
   * All types by default. Decisions are built for an observer of `"decision"`, `"degradation"` or `"block"` only, so an
   * observer of sweeps and changes costs the calls nothing.
   */
  readonly types?: readonly ObservationType[] | undefined;
}

interface Entry {
  readonly observe: Observer;
  readonly types: readonly ObservationType[];
}

const TYPES: readonly ObservationType[] = ["decision", "sweep", "degradation", "change", "block"];
/** What is observed of calls, and in the limiter that is called. Stores tell each limiter the rest. */
const OF_CALLS: readonly ObservationType[] = ["decision", "degradation", "block"];
const NAMES = { types: true } as const;

/**
 * The observers and taps of a limiter. They come and go; a combination has those of its limiters, too. What one asks of
 * another is public, because the other one may be of another copy of the library.
 */
export class Observers {
  readonly #members: readonly Observers[];
  /** Those of a limiter that chooses this one for some of its calls. */
  #owner: Owner | undefined;
  /** How many keys a call has. */
  readonly keyCount: number;
  #entries: readonly Entry[] = [];
  #ownTaps: readonly Tap[] = [];
  #ownMeters: readonly Meter[] = [];
  readonly #followers = new Followers();
  #byType: ReadonlyMap<ObservationType, readonly Observer[]> = new Map();
  /** The taps and meters of all that see the limiter's calls. */
  taps: Taps | undefined;
  meters: readonly Meter[] = [];
  #ofCalls: Observer | undefined;
  #areObserved = false;
  /** Times calls for meters. `undefined` without meters. */
  stopwatch: Stopwatch | undefined;
  /** Called when observers or taps have come or gone. */
  onChange: () => void = () => {};

  constructor(observe: Observer | undefined, members: readonly Observers[] = []) {
    this.#members = members;
    this.keyCount = Math.max(
      1,
      members.reduce((total, member) => total + member.keyCount, 0),
    );
    if (observe !== undefined) this.#entries = [{ observe, types: TYPES }];
    for (const member of members) member.follow(this);
    this.update();
  }

  /** Notifies all that observe calls, and lets taps see them. Never throws. `undefined` if calls are not observed. */
  get ofCalls(): Observer | undefined {
    return this.#ofCalls;
  }

  /** Chooses the calls that have to be observed. `undefined` if all have to be, or none. */
  get sampler(): Sampler | undefined {
    return this.#areObserved || this.meters.length > 0 ? undefined : this.taps?.sampler;
  }

  /**
   * Whether calls that are decided without a decision have to be noted by `noteQuick`: taps or meters see calls, but
   * observers do not.
   */
  get notesQuick(): "taps" | "meters" | undefined {
    // A meter of several limiters has to know which of them decides.
    if (this.#areObserved || this.#ownersMeters.length > 0) return undefined;
    return this.meters.length > 0 ? "meters" : this.taps && "taps";
  }

  has(type: ObservationType): boolean {
    return this.#byType.has(type);
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
    this.#change([...this.#entries, entry], this.#ownTaps);
    const ofMembers = types.filter((type) => !OF_CALLS.includes(type));
    const removals = this.#members.map((member) => member.add(observe, { types: ofMembers }));
    return () => {
      for (const remove of removals) remove();
      const entries = this.#entries.filter((one) => one !== entry);
      if (entries.length < this.#entries.length) this.#change(entries, this.#ownTaps);
    };
  }

  /** Lets a combination know of observers that come and go. */
  follow(combination: Follower): void {
    this.#followers.add(combination);
  }

  /** Adds a tap, and returns a function that removes it. */
  addTap(tap: Tap): () => void {
    this.#change(this.#entries, [...this.#ownTaps, tap]);
    return () => {
      const taps = this.#ownTaps.filter((one) => one !== tap);
      if (taps.length < this.#ownTaps.length) this.#change(this.#entries, taps);
    };
  }

  /** Lets the observers, meters and taps of another limiter see these calls. Without `keys` its taps do not. */
  include(observers: Owner["observers"], keys: "with keys" | "without keys" = "with keys"): void {
    this.#owner = { observers, keys };
    observers.follow(this);
    this.update();
  }

  notify(observation: Observation): void {
    for (const observe of this.#byType.get(observation.type) ?? []) notify(observe, observation);
  }

  /** Adds a meter, and returns a function that removes it. */
  addMeter(meter: Meter): () => void {
    this.#ownMeters = [...this.#ownMeters, meter];
    this.update();
    return () => {
      this.#ownMeters = this.#ownMeters.filter((one) => one !== meter);
      this.update();
    };
  }

  /** Lets meters see a call of one key that was decided without a decision. */
  noteMeters(key: string, outcome: LookedOutcome): void {
    const { meters } = this;
    if (meters.length > 0) for (const meter of meters) meter.noteQuick(key, outcome);
  }

  /** Lets meters see a call of one key for which no observation was made, and taps, if it is chosen. */
  noteDecided(key: string, decision: Decision): void {
    const { meters } = this;
    if (meters.length === 1) meters[0]!.note(key, decision);
    else for (const meter of meters) meter.note(key, decision);
    const taps = this.taps;
    if (taps?.sampler.draw() === true) taps.see([key], decision.allowed);
  }

  noteWaited(us: number): void {
    for (const meter of this.meters) meter.waited(us);
  }

  noteHeld(places: HeldPlaces): void {
    for (const meter of this.meters) meter.held(places);
  }

  #observeCall(observation: Observation): void {
    if (observation.type !== "decision") {
      this.notify(observation);
      return;
    }
    const { keys, decision, corrects } = observation;
    // Observers might change their decision.
    const begun = this.has("block") ? begunBlock(observation) : undefined;
    const { allowed, limiter } = decision;
    if (corrects === undefined) for (const meter of this.meters) meter.note(keys, decision);
    this.notify(observation);
    if (begun !== undefined) this.notify({ type: "block", limiter, keys, block: begun });
    if (corrects === undefined && this.taps?.sampler.draw() === true) this.taps.see(keys, allowed);
  }

  /** Works like `#observeCall`, without observers. */
  #noteCall(observation: Observation): void {
    if (observation.type !== "decision" || observation.corrects) return;
    const { keys, decision } = observation;
    const { allowed } = decision;
    for (const meter of this.meters) meter.note(keys, decision);
    const taps = this.taps;
    if (taps?.sampler.draw() === true) taps.see(keys, allowed);
  }

  #change(entries: readonly Entry[], taps: readonly Tap[]): void {
    this.#entries = entries;
    this.#ownTaps = taps;
    this.update();
  }

  /** Observers or taps have come or gone. */
  update(): void {
    const entries = this.allEntries();
    const observersOf = (type: ObservationType) =>
      entries.filter(({ types }) => types.includes(type)).map(({ observe }) => observe);
    // A limiter may be part of a combination that is combined again: each observer is notified once.
    const byType = TYPES.map((type) => [type, [...new Set(observersOf(type))]] as const);
    this.#byType = new Map(byType.filter(([, observers]) => observers.length > 0));
    const placed = this.placedTaps(0);
    const taps = placed.length === 0 ? undefined : new Taps(placed);
    const areCallsObserved = OF_CALLS.some((type) => this.#byType.has(type));
    this.taps = taps;
    this.meters = [...new Set(this.allMeters())];
    this.stopwatch = this.meters.length === 0 ? undefined : new Stopwatch(this.meters);
    this.#areObserved = areCallsObserved;
    if (areCallsObserved) this.#ofCalls = (observation) => this.#observeCall(observation);
    else if (taps === undefined && this.meters.length === 0) this.#ofCalls = undefined;
    else this.#ofCalls = (observation) => this.#noteCall(observation);
    this.onChange();
    for (const follower of this.#followers.all()) follower.update();
  }

  /** With those of the limiters that are combined. */
  allEntries(): readonly Entry[] {
    const owners = this.#owner?.observers.ownEntries() ?? [];
    return [...this.#entries, ...owners, ...this.#members.flatMap((member) => member.allEntries())];
  }

  allMeters(): readonly Meter[] {
    return [...this.#ownMeters, ...this.#ownersMeters, ...this.#members.flatMap((member) => member.allMeters())];
  }

  /** Works like `allEntries`, for taps. The keys of a call begin at `from`. */
  placedTaps(from: number): PlacedTap[] {
    const owners = this.#owner?.keys === "with keys" ? this.#owner.observers.ownTaps() : [];
    const placed = [...this.#ownTaps, ...owners].map((tap) => ({ tap, from, until: from + this.keyCount }));
    let at = from;
    for (const member of this.#members) {
      placed.push(...member.placedTaps(at));
      at += member.keyCount;
    }
    return placed;
  }

  ownEntries(): readonly Entry[] {
    return this.#entries;
  }

  ownMeters(): readonly Meter[] {
    return this.#ownMeters;
  }

  ownTaps(): readonly Tap[] {
    return this.#ownTaps;
  }

  get #ownersMeters(): readonly Meter[] {
    return this.#owner?.observers.ownMeters() ?? [];
  }
}

interface Owner {
  readonly observers: Pick<Observers, "follow" | "ownEntries" | "ownMeters" | "ownTaps">;
  readonly keys: "with keys" | "without keys";
}

/** @throws TollgateError `ERR_OPTION`. */
function checkTypes(types: unknown): void {
  if (!Array.isArray(types)) throw optionError("types", "a list", types);
  for (const type of types as readonly unknown[]) checkChoice("types", type, TYPES);
}

/** The block that a call began, by a limit with `blockFor`. */
function begunBlock({ decision }: DecisionObservation): Block | undefined {
  return decision.allowed || decision.reason !== "blocked" ? decision.block : undefined;
}

/** The observers of a combination. */
type Follower = Pick<Observers, "update">;

/** The observers of combinations, held weakly: a limiter may outlive many combinations that it was part of. */
class Followers {
  #references: readonly { deref(): Follower | undefined }[] = [];
  #crowdedAt = 16;

  add(follower: Follower): void {
    const reference = typeof WeakRef === "function" ? new WeakRef(follower) : { deref: () => follower };
    this.#references = [...this.#references, reference];
    if (this.#references.length < this.#crowdedAt) return;
    this.#references = this.#references.filter((one) => one.deref() !== undefined);
    this.#crowdedAt = Math.max(16, 2 * this.#references.length);
  }

  all(): readonly Follower[] {
    return this.#references.flatMap((reference) => reference.deref() ?? []);
  }
}
