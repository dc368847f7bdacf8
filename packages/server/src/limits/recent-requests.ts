import { hash, randomBytes } from "node:crypto";
import type { Clock, Cost } from "tollgate";
import { type Facts, factsReader, type LimitsFile } from "tollgate/config";
import { type FactUse, type NamedFacts, namedFacts } from "./named-facts.ts";

/** A request of the last minute: what limits have to know of it to decide again. */
export interface RecentRequest {
  readonly atMs: number;
  readonly domain: string;
  readonly facts: Facts;
  readonly cost: Cost | undefined;
  /** Whether it was charged, whatever the limits said. */
  readonly isCharge: boolean;
  /** The facts with names of their own that were kept, and how. */
  readonly kept: NamedFacts;
}

export interface RecentBounds {
  readonly requests: number;
  /** The length of all texts together. */
  readonly characters: number;
  readonly ms: number;
}

export const RECENT_BOUNDS: RecentBounds = { requests: 20_000, characters: 4_000_000, ms: 60_000 };

const HOST = "host";
const LONGEST_PATH = 512;
const LONGEST_TEXT = 256;
/** Further facts are not kept. */
const MOST_FACTS = 32;
/** What a request takes apart from its texts. */
const BASE_CHARACTERS = 100;
const SALT_BYTES = 16;
const HASH_CHARACTERS = 16;
/** They take about a millisecond to send to another process. */
const PAGE_ENTRIES = 250;

/** A request as it is kept: facts are made of it when they are asked for. */
export interface RecentEntry {
  readonly atMs: number;
  readonly domain: string;
  readonly ip: string | undefined;
  readonly method: string | undefined;
  readonly path: string | undefined;
  /** The host, and what `kept` names. */
  readonly texts: readonly string[];
  readonly kept: NamedFacts;
  readonly cost: Cost | undefined;
  readonly isCharge: boolean;
  readonly characters: number;
}

/** What is known of the requests of the last minute. */
export interface RecentTraffic {
  /** The oldest first. */
  readonly requests: readonly RecentRequest[];
  /** Whether these are all. */
  readonly isComplete: boolean;
}

/** Entries, the oldest first, and the number before which there may be more. */
export interface RecentPage {
  readonly entries: readonly RecentEntry[];
  readonly first: number;
  readonly isComplete: boolean;
}

/**
 * The requests of the last minute, at most so many, the latest ones. Addresses, methods, paths without a query and
 * hosts are kept as they are; of other facts only those that rules name. What only tells clients apart is kept as a
 * hash with a salt that ends with the process.
 */
export class RecentRequests {
  readonly #clock: Clock;
  readonly #bounds: RecentBounds;
  readonly #salt: string;
  #kept: NamedFacts = new Map();
  #uses: readonly FactUse[] = [];
  /** The host first, because some callers have it as a header only. */
  #read: (facts: Facts) => string[] = factsReader([HOST]);
  /** Those before `#first` are forgotten. */
  #entries: RecentEntry[] = [];
  #first = 0;
  /** How many were in front of `#entries`. */
  #gone = 0;
  #characters = 0;
  /** When the latest request came that was forgotten for want of capacity. */
  #leftOutMs = Number.NEGATIVE_INFINITY;

  /** Processes with one salt have the same hash for a fact. */
  constructor(clock: Clock, bounds: RecentBounds = RECENT_BOUNDS, salt: string = randomSalt()) {
    this.#clock = clock;
    this.#bounds = bounds;
    this.#salt = salt;
  }

  /** Keeps the facts that a file names, of requests from now on. */
  keepFactsOf(file: LimitsFile): void {
    this.#kept = new Map([...namedFacts(file)].slice(0, MOST_FACTS));
    this.#uses = ["text", ...this.#kept.values()];
    this.#read = factsReader([HOST, ...this.#kept.keys()]);
  }

  note(domain: string, facts: Facts, cost: Cost | undefined, verb: "consume" | "charge"): void {
    const atMs = this.#clock.now();
    const entry = this.#entryOf(atMs, domain, facts, cost, verb === "charge");
    if (entry.characters > this.#bounds.characters) {
      this.#leftOutMs = atMs;
      return;
    }
    this.#entries.push(entry);
    this.#characters += entry.characters;
    this.#forget(atMs);
  }

  collect(): RecentTraffic {
    this.#forget(this.#clock.now());
    return { requests: this.#entries.slice(this.#first).map(requestOf), isComplete: this.#isComplete };
  }

  /** The latest entries, or those before the one with a number: each has one more than the one before. */
  page(before: number = Number.POSITIVE_INFINITY): RecentPage {
    this.#forget(this.#clock.now());
    const end = Math.min(before - this.#gone, this.#entries.length);
    const first = Math.max(this.#first, end - PAGE_ENTRIES);
    return {
      entries: this.#entries.slice(first, Math.max(first, end)),
      first: first + this.#gone,
      isComplete: this.#isComplete,
    };
  }

  get #isComplete(): boolean {
    return this.#leftOutMs < this.#clock.now() - this.#bounds.ms;
  }

  #forget(nowMs: number): void {
    const { requests, characters, ms } = this.#bounds;
    for (;;) {
      const oldest = this.#entries[this.#first];
      if (oldest === undefined) break;
      const isOld = oldest.atMs < nowMs - ms;
      if (!isOld) {
        if (this.#entries.length - this.#first <= requests && this.#characters <= characters) break;
        this.#leftOutMs = oldest.atMs;
      }
      this.#characters -= oldest.characters;
      this.#first += 1;
    }
    // `shift` is slow on long arrays.
    if (this.#first * 2 <= this.#entries.length) return;
    this.#entries = this.#entries.slice(this.#first);
    this.#gone += this.#first;
    this.#first = 0;
  }

  #entryOf(atMs: number, domain: string, facts: Facts, cost: Cost | undefined, isCharge: boolean): RecentEntry {
    const address = facts.ip ?? facts.remoteAddress;
    const ip = address && beginningOf(address, LONGEST_TEXT);
    const method = facts.method && beginningOf(facts.method, LONGEST_TEXT);
    const path = pathOf(facts);
    const texts = this.#read(facts);
    let characters = BASE_CHARACTERS + domain.length + (ip?.length ?? 0) + (method?.length ?? 0) + (path?.length ?? 0);
    for (const [i, text] of texts.entries()) {
      const own = text === "" ? "" : this.#uses[i] === "text" ? beginningOf(text, LONGEST_TEXT) : this.#hash(text);
      texts[i] = own;
      characters += own.length;
    }
    if (typeof cost === "object") characters += JSON.stringify(cost).length;
    return { atMs, domain, ip, method, path, texts, kept: this.#kept, cost, isCharge, characters };
  }

  #hash(text: string): string {
    return hash("sha256", this.#salt + text, "base64").slice(0, HASH_CHARACTERS);
  }
}

/**
 * The beginning of a text, in memory of its own: engines keep a part of a string as a view of the whole, which may be a
 * body of half a megabyte.
 */
function beginningOf(text: string, longest: number, end: number = text.length): string {
  const length = Math.min(longest, end);
  return length === text.length ? text : Buffer.from(text.slice(0, length)).toString();
}

function pathOf({ path }: Facts): string | undefined {
  if (path === undefined) return undefined;
  const end = path.search(/[?#]/);
  return beginningOf(path, LONGEST_PATH, end < 0 ? path.length : end);
}

export function randomSalt(): string {
  return randomBytes(SALT_BYTES).toString("hex");
}

export function requestOf({ atMs, domain, ip, method, path, texts, kept, cost, isCharge }: RecentEntry): RecentRequest {
  const [host = "", ...others] = texts;
  const named: Record<string, Record<string, string>> = { header: {}, query: {}, cookie: {}, descriptor: {} };
  for (const [i, name] of [...kept.keys()].entries()) {
    const text = others[i] ?? "";
    const dot = name.indexOf(".");
    const values = named[name.slice(0, dot)];
    if (text !== "" && values !== undefined) values[name.slice(dot + 1)] = text;
  }
  return { atMs, domain, facts: { ip, method, path, host, ...named }, cost, isCharge, kept };
}
