import { type SharedStore, type SharedStoreOptions, sharedStore } from "tollgate/shared";
import { vi } from "vitest";

/** Two ends of one store, as two threads have them. */
export function twoEnds(options: SharedStoreOptions): readonly [SharedStore, SharedStore] {
  const store = sharedStore(options);
  return [store, sharedStore.attach(structuredClone(store.handle))];
}

/** The two kinds of memory that threads can share, and how to get that kind until mocks are restored. */
export const KINDS_OF_MEMORY: readonly (readonly [name: string, use: () => void])[] = [
  ["memory of WebAssembly", () => {}],
  ["a SharedArrayBuffer", useNoWebAssembly],
];

/** As where there is no WebAssembly. */
export function useNoWebAssembly(): void {
  // Not every environment has types for it.
  const { WebAssembly: wasm } = globalThis as unknown as { readonly WebAssembly: { Memory: () => unknown } };
  vi.spyOn(wasm, "Memory").mockImplementation(refuseMemory);
}

/** As where there is no memory left. */
export function refuseMemory(): never {
  throw new RangeError("no memory");
}

/** The bytes that a store's threads share. */
export function bufferOf({ handle: { memory } }: SharedStore): SharedArrayBuffer {
  return memory instanceof SharedArrayBuffer ? memory : memory.buffer;
}
