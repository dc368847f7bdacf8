/** The flag of a call that the script carries out. */
export const RUN = "1";
/** The flag of a call that writes nothing: the reply names the keys that it would write. */
export const REHEARSE = "2";
const CANCELLED = "0";

interface BufferConstructor {
  from(memory: Uint8Array): Uint8Array<ArrayBuffer>;
}

/**
 * Whether a call may still be executed, as the first argument of the script: `1` or `2`, or `0` once it is cancelled. A
 * client may send a call late, from a queue for times without a connection, or again after it lost one; the script does
 * nothing then. A flag is never reused: a client may hold on to it after the call has failed.
 */
export class CancelFlag {
  #text: string;
  #args: unknown[] | undefined;
  #at = 0;
  #bytes: Uint8Array | undefined;

  constructor(form: string) {
    this.#text = form;
  }

  /** The current value, for clients that copy their arguments at once. */
  get text(): string {
    return this.#text;
  }

  /**
   * The flag as a `Buffer` of one byte, which a cancellation changes: for clients that copy texts but no bytes.
   * Runtimes without `Buffer` run no such client.
   */
  get bytes(): Uint8Array | string {
    const { Buffer } = globalThis as { Buffer?: BufferConstructor };
    if (Buffer === undefined) return this.#text;
    this.#bytes ??= Buffer.from(Uint8Array.of(this.#text.charCodeAt(0)));
    return this.#bytes;
  }

  /**
   * Writes the flag into the arguments of a client that encodes them at the moment of sending. A cancellation changes
   * them there.
   */
  writeInto(args: unknown[], at: number): void {
    args[at] = this.#text;
    this.#args = args;
    this.#at = at;
  }

  /** Makes the call do nothing if it is sent from now on. */
  cancel(): void {
    this.#text = CANCELLED;
    if (this.#args !== undefined) this.#args[this.#at] = CANCELLED;
    if (this.#bytes !== undefined) this.#bytes[0] = CANCELLED.charCodeAt(0);
  }
}
