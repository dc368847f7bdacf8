import { createHash, randomBytes } from "node:crypto";
import type { Clock, Cost } from "tollgate";
import { type Facts, type LimitsFile, readFacts } from "tollgate/config";
import { type NamedFacts, namedFacts } from "./named-facts.ts";

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

interface Entry extends RecentRequest {
  readonly characters: number;
}

/**
 * The requests of the last minute, at most so many, the latest ones. Addresses, methods, paths without a query and
 * hosts are kept as they are; of other facts only those that rules name. What only tells clients apart is kept as a
 * hash with a salt that ends with the process.
 */
export class RecentRequests {
  readonly #clock: Clock;
  readonly #bounds: RecentBounds;
  readonly #salt = randomBytes(SALT_BYTES).toString("hex");
  #kept: NamedFacts = new Map();
  /** What is read of a request. The host first, because some callers have it as a header only. */
  #names: readonly string[] = [HOST];
  /** Those before `#first` are forgotten. */
  #entries: Entry[] = [];
  #first = 0;
  #characters = 0;
  /** When the latest request came that was forgotten for want of capacity. */
  #leftOutMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, bounds: RecentBounds = RECENT_BOUNDS) {
    this.#clock = clock;
    this.#bounds = bounds;
  }

  /** Keeps the facts that a file names, of requests from now on. */
  keepFactsOf(file: LimitsFile): void {
    this.#kept = new Map([...namedFacts(file)].slice(0, MOST_FACTS));
    this.#names = [HOST, ...this.#kept.keys()];
  }

  note(domain: string, facts: Facts, cost: Cost | undefined, verb: "consume" | "charge"): void {
    const own = this.#ownFacts(facts);
    const atMs = this.#clock.now();
    const characters = BASE_CHARACTERS + domain.length + lengthOf(own) + (JSON.stringify(cost)?.length ?? 0);
    if (characters > this.#bounds.characters) {
      this.#leftOutMs = atMs;
      return;
    }
    this.#entries.push({ atMs, domain, facts: own, cost, isCharge: verb === "charge", kept: this.#kept, characters });
    this.#characters += characters;
    this.#forget(atMs);
  }

  /** The oldest first. */
  list(): readonly RecentRequest[] {
    this.#forget(this.#clock.now());
    return this.#entries.slice(this.#first);
  }

  /** Whether all requests of the last minute are kept. */
  get isComplete(): boolean {
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
    this.#first = 0;
  }

  #ownFacts(facts: Facts): Facts {
    const { ip = facts.remoteAddress, method, path } = facts;
    const [host = "", ...texts] = readFacts(facts, this.#names);
    const named: Record<string, Record<string, string>> = { header: {}, query: {}, cookie: {}, descriptor: {} };
    let i = 0;
    for (const [name, use] of this.#kept) {
      const text = texts[i] ?? "";
      const dot = name.indexOf(".");
      const values = named[name.slice(0, dot)];
      if (text !== "" && values !== undefined) {
        values[name.slice(dot + 1)] = use === "text" ? text.slice(0, LONGEST_TEXT) : this.#hash(text);
      }
      i += 1;
    }
    return {
      ip: ip?.slice(0, LONGEST_TEXT),
      method: method?.slice(0, LONGEST_TEXT),
      path: path?.split(/[?#]/, 1)[0]?.slice(0, LONGEST_PATH),
      host: host.slice(0, LONGEST_TEXT),
      ...named,
    };
  }

  #hash(text: string): string {
    return createHash("sha256").update(this.#salt).update(text).digest("base64").slice(0, HASH_CHARACTERS);
  }
}

function lengthOf(values: object): number {
  let length = 0;
  for (const value of Object.values(values) as unknown[]) {
    if (typeof value === "string") length += value.length;
    else if (typeof value === "object" && value !== null) length += lengthOf(value);
  }
  return length;
}
