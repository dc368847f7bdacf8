/** A script's text, and the SHA-1 of it that servers know it by, in hexadecimal. */
export interface RedisScript {
  readonly sha: string;
  readonly source: string;
}

/** What a script answers: whole numbers alone. */
export type ScriptReply = readonly number[];

/**
 * Whether a call may still be carried out. A client may send it late, from a queue for times without a connection, or again after
 * it lost one; the script does nothing then. Every port sends `argument` as it is at the moment of sending, where its client
 * lets it. One fence serves one call, ever: a client may hold on to it after the call has failed.
 */
export interface Fence {
  /** `1`, or `0` once nobody waits any more: one byte that clients of Node send without copying it before. */
  readonly argument: Uint8Array<ArrayBuffer>;
}

/** A script, and the keys and arguments that it is called with. */
export interface ScriptCall {
  /** At least one; all in one slot where the server is a cluster. */
  readonly keys: readonly string[];
  /** Come after the fence's. */
  readonly args: readonly string[];
  readonly fence: Fence;
}

/** A client of Redis or Valkey, whichever it is, as far as the store uses it. */
export interface RedisPort {
  /** What it was taken for, such as `"ioredis"`: for messages. */
  readonly name: string;
  /** Whether keys of one call have to share a slot. */
  readonly cluster: boolean;
  /** `false` where the client says that it has no connection at the moment; a call may be tried all the same. */
  readonly connected: boolean;
  /**
   * Runs the script by its SHA-1, and sends its text where the server does not know it (any more). When it rejects, the fence is
   * void: a client that gave up on a call may have it in a queue still.
   *
   * @throws what the client throws: `clientFailure` says what it means.
   */
  run(call: ScriptCall): Promise<ScriptReply>;
  /** Every key that begins with the prefix, on all primaries, in portions; keys may come twice. */
  scan(prefix: string): AsyncIterable<readonly string[]>;
  /** Removes keys, whatever their slots. */
  unlink(keys: readonly string[]): Promise<void>;
  /**
   * Tells when a connection was lost: what was under way may have landed, and the client may send it again, but not before the
   * listener has returned. Where a client never sends anything twice there is nothing to tell.
   *
   * @returns what stops it.
   */
  onLost(listener: () => void): () => void;
}
