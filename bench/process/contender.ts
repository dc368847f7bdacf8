import type { KeyPool } from "../harness/keys.ts";
import { CHUNK } from "./jobs.ts";

export type Setup = { readonly units: number; readonly pool: KeyPool };

export interface Contender {
  /** Prepares the keys of a chunk, off-clock. */
  prepare(indices: Uint32Array): void;
  /** Decides about a part of the chunk. Returns the number of admitted calls. */
  decide(from: number, to: number): number | Promise<number>;
  close?(): void;
}

export type CreateContender = (setup: Setup) => Contender;

/** Each contender brings its own loop: a shared one with a callback would use up what V8 inlines into it. */
export function syncContender({ pool }: Setup, loop: (strings: readonly string[]) => Contender["decide"]): Contender {
  const { strings, prepare } = freshKeys(pool);
  return { prepare, decide: loop(strings) };
}

export interface AsyncCall {
  /** Asks for one unit of a key. */
  ask(key: string): Promise<unknown>;
  /** Whether this result of `ask` admits. */
  admits(answer: unknown): boolean;
  /** Whether this rejection of `ask` is a denial. Otherwise it is a failure. */
  isDenial(reason: unknown): boolean;
}

export function asyncContender({ pool }: Setup, call: AsyncCall): Contender {
  const { strings, prepare } = freshKeys(pool);
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
function freshKeys(pool: KeyPool): { readonly strings: readonly string[]; prepare(indices: Uint32Array): void } {
  const strings = new Array<string>(CHUNK).fill("");
  return {
    strings,
    prepare(indices) {
      for (let i = 0; i < indices.length; i += 1) strings[i] = pool.key(indices[i]!);
    },
  };
}
