const RUN = 0x31;
const CANCELLED = 0x30;

/**
 * Whether a call may still be executed. A client may send a call late, from a queue for times without a connection, or
 * again after it lost one; the script does nothing then. Each port sends `argument` as it is at the moment of sending,
 * if its client allows it. A flag is never reused: a client may hold on to it after the call has failed.
 */
export interface CancelFlag {
  /** One byte, `1`, or `0` once the call is cancelled. Clients of Node send it without copying it before. */
  readonly argument: Uint8Array<ArrayBuffer>;
}

interface BufferConstructor {
  from(memory: ArrayBuffer, byteOffset: number, length: number): Uint8Array<ArrayBuffer>;
}

/** A flag for one call. */
export function createCancelFlag(): CancelFlag {
  return { argument: Uint8Array.of(RUN) };
}

/** Makes the call do nothing if it is sent from now on. */
export function cancel(flag: CancelFlag): void {
  flag.argument[0] = CANCELLED;
}

/**
 * The flag as clients of Node take bytes: a `Buffer` over the same memory, which has the value of the moment of
 * sending. Runtimes without `Buffer` run no such client.
 */
export function flagBytes({ argument }: CancelFlag): Uint8Array {
  const { Buffer } = globalThis as { Buffer?: BufferConstructor };
  return Buffer === undefined ? argument : Buffer.from(argument.buffer, argument.byteOffset, argument.byteLength);
}

/** The flag's current value, for clients that copy their arguments at once. */
export function flagText({ argument }: CancelFlag): string {
  return String.fromCharCode(argument[0]!);
}
