import type { KeyPool } from "../harness/keys.ts";
import { CHUNK, type Job, UNITS, type Verb } from "./jobs.ts";

export interface Setup {
  readonly pool: KeyPool;
  readonly limit: Job["limit"];
  readonly units: number;
  /** Whether the job moves the clock on. */
  readonly skips: boolean;
  /** The capacity of tables. */
  readonly maxKeys: number;
  /** Instead of the row's own. */
  readonly verb: Verb | undefined;
}

/** Upkeep is asked of a table for ten million keys. */
export function setupOf({ limit, verb, special }: Job, pool: KeyPool): Setup {
  const maxKeys = special === "upkeep" ? 10_000_000 : Math.max(1_000_000, pool.count);
  return { pool, limit, units: UNITS[limit], skips: special === "a minute", maxKeys, verb };
}

export interface Contender {
  /** Prepares the keys of a chunk, off-clock. */
  prepare(indices: Uint32Array): void;
  /** Decides about a part of the chunk. Returns the number of admitted calls. */
  decide(from: number, to: number): number | Promise<number>;
  /** Moves its clock on, if it has one of its own. */
  skip?(ms: number): void;
  sweep?(): void;
  clear?(): void;
  close?(): void;
}

export type CreateContender = (setup: Setup) => Contender;

/**
 * Each contender brings its own loop: a shared one with a callback would use up what V8 inlines into it. `before` is
 * called off-clock for each key: what is refunded was taken.
 */
export function syncContender(
  { pool }: Setup,
  loop: (strings: readonly string[]) => Contender["decide"],
  before?: (key: string) => unknown,
): Contender {
  const { strings, prepare } = freshKeys(pool, before);
  return { prepare, decide: loop(strings) };
}

/** One call of a verb that needs no loop of its own. Counts the calls that return `true`. */
export function loopOf(ask: (key: string) => boolean) {
  return (strings: readonly string[]): Contender["decide"] =>
    (from, to) => {
      let admitted = 0;
      for (let i = from; i < to; i += 1) if (ask(strings[i]!)) admitted += 1;
      return admitted;
    };
}

export interface AsyncCall {
  /** Asks for one unit of a key. */
  ask(key: string): Promise<unknown>;
  /** Whether this result of `ask` admits. */
  admits(answer: unknown): boolean;
  /** Whether this rejection of `ask` is a denial. Otherwise it is a failure. */
  isDenial(reason: unknown): boolean;
}

export function asyncContender({ pool }: Setup, call: AsyncCall, before?: (key: string) => unknown): Contender {
  const { strings, prepare } = freshKeys(pool, before);
  return {
    prepare,
    async decide(from, to) {
      let admitted = 0;
      for (let i = from; i < to; i += 1) {
        try {
          if (call.admits(await call.ask(strings[i]!))) admitted += 1;
        } catch (reason) {
          if (!call.isDenial(reason)) throw reason;
        }
      }
      return admitted;
    },
  };
}

/** Where denials are results, every rejection is a failure. */
export function never(): boolean {
  return false;
}

/** The strings of a chunk, new ones each time. */
function freshKeys(pool: KeyPool, before?: (key: string) => unknown) {
  const strings = new Array<string>(CHUNK).fill("");
  return {
    strings: strings as readonly string[],
    prepare(indices: Uint32Array) {
      if (before !== undefined) for (const index of indices) before(pool.key(index));
      for (let i = 0; i < indices.length; i += 1) strings[i] = pool.key(indices[i]!);
    },
  };
}
