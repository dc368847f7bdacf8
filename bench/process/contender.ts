import type { KeyPool } from "../harness/keys.ts";
import { CHUNK } from "./tables.ts";

export interface Setup {
  readonly pool: KeyPool;
  /** Units of each key. They come back more slowly than a measurement takes. */
  readonly units: number;
}

export interface Contender {
  /** Prepares the keys of a chunk, off-clock. */
  prepare(indices: Uint32Array): void;
  /** Decides about a part of the chunk. Returns the number of admitted calls. */
  decide(from: number, to: number): number | Promise<number>;
}

export type CreateContender = (setup: Setup) => Contender;

/** For calls that return at once. `ask` says whether a call was admitted. */
export function callContender({ pool }: Setup, ask: (key: string) => boolean): Contender {
  const { keys, prepare } = freshKeys(pool);
  return {
    prepare,
    decide(from, to) {
      let admitted = 0;
      for (let i = from; i < to; i += 1) if (ask(keys[i]!)) admitted += 1;
      return admitted;
    },
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

export function asyncContender({ pool }: Setup, call: AsyncCall): Contender {
  const { keys, prepare } = freshKeys(pool);
  return {
    prepare,
    async decide(from, to) {
      let admitted = 0;
      for (let i = from; i < to; i += 1) if (await admits(call, keys[i]!)) admitted += 1;
      return admitted;
    },
  };
}

/** @throws Error when the call fails. */
export async function admits(call: AsyncCall, key: string): Promise<boolean> {
  try {
    return call.admits(await call.ask(key));
  } catch (reason) {
    if (call.isDenial(reason)) return false;
    throw reason;
  }
}

/** For calls whose denials are results: every rejection is a failure. */
export function never(): boolean {
  return false;
}

/** The strings of a chunk, new ones each time. */
function freshKeys(pool: KeyPool) {
  const keys = new Array<string>(CHUNK).fill("");
  return {
    keys: keys as readonly string[],
    prepare(indices: Uint32Array) {
      for (let i = 0; i < indices.length; i += 1) keys[i] = pool.key(indices[i]!);
    },
  };
}
