import type { Fence } from "./redis-port.ts";

const GO = 0x31;
const VOID = 0x30;

interface BufferConstructor {
  from(memory: ArrayBuffer, byteOffset: number, length: number): Uint8Array<ArrayBuffer>;
}

/** A fence for one call, open. */
export function openFence(): Fence {
  return { argument: Uint8Array.of(GO) };
}

/** Whatever is sent from now on does nothing. */
export function voidFence(fence: Fence): void {
  fence.argument[0] = VOID;
}

/**
 * The fence as clients of Node take bytes: a `Buffer` over the same memory, so that it says what holds when it is sent.
 * Where there is no `Buffer` no such client runs.
 */
export function fenceBytes({ argument }: Fence): Uint8Array {
  const { Buffer } = globalThis as { Buffer?: BufferConstructor };
  return Buffer === undefined ? argument : Buffer.from(argument.buffer, argument.byteOffset, argument.byteLength);
}

/** The fence as it is now, for clients that copy what they are given at once. */
export function fenceText({ argument }: Fence): string {
  return String.fromCharCode(argument[0]!);
}
