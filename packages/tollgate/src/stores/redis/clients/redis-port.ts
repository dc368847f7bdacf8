import type { CancelFlag } from "./cancel-flag.ts";
import type { ClientFailure } from "./client-failure.ts";

/** A script's text, and its SHA-1 in hexadecimal, by which servers know it. */
export interface RedisScript {
  readonly sha: string;
  readonly source: string;
}

/** The reply of a script: whole numbers. */
export type ScriptReply = readonly number[];

/** The keys and arguments of a script call. */
export interface ScriptCall {
  /** At least one; in a cluster all in one slot. */
  readonly keys: readonly string[];
  /** The arguments after the cancel flag. */
  readonly args: readonly string[];
  readonly cancelFlag: CancelFlag;
}

/**
 * Runs the script by its SHA-1, and sends its text if the server does not know it. Before it rejects it cancels the
 * call: a client that timed out may have the call in a queue.
 *
 * @throws what the client throws. `failureOf` classifies it.
 */
export type RunScript = (call: ScriptCall) => Promise<ScriptReply>;

/** What the store needs from a client of Redis or Valkey. */
export interface RedisPort {
  /** The client library, such as `"ioredis"`, for messages. */
  readonly name: string;
  /** What makes its store, for messages; `"redisStore"` by default. */
  readonly store?: string;
  /** Whether all keys of a call have to be in one slot. */
  readonly cluster: boolean;
  /** Set if calls that are under way together may be executed in any order, as over a pool of connections. */
  readonly isUnordered?: true;
  /** `false` if the client reports that it has no connection now. Calls are still possible. */
  readonly connected: boolean;
  readonly run: RunScript;
  /** Classifies errors of the client and its server; by default as those of Redis. */
  failureOf?(error: unknown): ClientFailure;
  /** All keys that begin with the prefix, on all primaries, in portions. Keys may be repeated. */
  scan(prefix: string): AsyncIterable<readonly string[]>;
  /**
   * Notifies the listener of a lost connection. Calls in flight may have been executed, and the client may send them
   * again after the listener has returned. A client that never sends a call twice does not notify.
   *
   * @returns a function that removes the listener.
   */
  onLost(listener: () => void): () => void;
}
