/** Replaces the pair of words at a byte address by the new pair if it equals the first: 1 if it did, else 0. */
export type WasmSwap = (address: number, low: number, high: number, newLow: number, newHigh: number) => number;
/** 1 if the pair of words at a byte address equals this pair, else 0. */
export type WasmIsStill = (address: number, low: number, high: number) => number;

/** Atomic operations on pairs of words, without the BigInt that `Atomics` allocates for each pair. */
export interface WasmPairs {
  readonly swap: WasmSwap;
  readonly isStill: WasmIsStill;
}

/** The part of `WebAssembly.Memory` that this store uses. */
export interface WasmMemory {
  readonly buffer: SharedArrayBuffer;
}

/** `WebAssembly`: not every environment has its types. */
interface Wasm {
  readonly Memory: new (limits: { initial: number; maximum: number; shared: true }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: WasmPairs };
}

const PAGE_BYTES = 2 ** 16;
const MOST_PAGES = 2 ** 16;

/** WebAssembly memory that threads can share; `undefined` where the environment has none. */
export function wasmMemory(bytes: number): WasmMemory | undefined {
  const pages = Math.ceil(bytes / PAGE_BYTES);
  try {
    const memory = new wasm.Memory({ initial: pages, maximum: pages, shared: true });
    // Some environments cannot clone it for another thread.
    return structuredClone(memory).buffer instanceof SharedArrayBuffer ? memory : undefined;
  } catch {
    return undefined;
  }
}

/** The operations on pairs in this memory; `undefined` where the environment compiles no WebAssembly. */
export function wasmPairs(memory: WasmMemory): WasmPairs | undefined {
  try {
    return new wasm.Instance(new wasm.Module(MODULE), { m: { m: memory } }).exports;
  } catch {
    return undefined;
  }
}

const { WebAssembly: wasm } = globalThis as unknown as { readonly WebAssembly: Wasm };

const I32 = 0x7f;
const I64 = 0x7e;
/** Joins two parameters to one 64-bit number: extend both, shift the upper one by 32, or. */
const pairOf = (low: number, high: number) => [0x20, low, 0xad, 0x20, high, 0xad, 0x42, 32, 0x86, 0x84];
const EXPECTED = 5;

/** The whole module, in the binary format. */
const MODULE: Uint8Array = Uint8Array.from([
  // "\0asm", version 1
  ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  // Types: functions of five words and of three, to one.
  ...section(1, [2, ...[0x60, 5, I32, I32, I32, I32, I32, 1, I32], ...[0x60, 3, I32, I32, I32, 1, I32]]),
  // Imports: memory "m" of "m", shared, of any size.
  ...section(2, [1, ...text("m"), ...text("m"), 2, 3, 0, ...unsigned(MOST_PAGES)]),
  // Functions: the first has type 0, the second type 1.
  ...section(3, [2, 0, 1]),
  // Exports: function 0 as "swap", function 1 as "isStill".
  ...section(7, [2, ...text("swap"), 0, 0, ...text("isStill"), 0, 1]),
  // Code.
  ...section(10, [
    2,
    ...sized([
      // One local variable: the expected pair.
      ...[1, 1, I64],
      // Push the address, the expected pair (also stored in the variable), and the new pair.
      ...[0x20, 0, ...pairOf(1, 2), 0x22, EXPECTED, ...pairOf(3, 4)],
      // i64.atomic.rmw.cmpxchg, aligned to 8 bytes; compare its result with the expected pair; end.
      ...[0xfe, 0x49, 3, 0, 0x20, EXPECTED, 0x51, 0x0b],
    ]),
    // No variable. Push the address; i64.atomic.load, aligned to 8 bytes; push the pair; compare; end.
    ...sized([0, 0x20, 0, 0xfe, 0x11, 3, 0, ...pairOf(1, 2), 0x51, 0x0b]),
  ]),
]);

function section(id: number, content: readonly number[]): number[] {
  return [id, ...sized(content)];
}

function sized(content: readonly number[]): number[] {
  return [...unsigned(content.length), ...content];
}

function text(name: string): number[] {
  return sized(Array.from(name, (character) => character.charCodeAt(0)));
}

/** LEB128. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}
