import { type SharedStore, type SharedStoreOptions, sharedStore } from "tollgate/shared";
import { vi } from "vitest";

/** Two attachments of one store, as two threads would have them. */
export function twoEnds(options: SharedStoreOptions): readonly [SharedStore, SharedStore] {
  const store = sharedStore(options);
  return [store, sharedStore.attach(structuredClone(store.handle))];
}

/** The two kinds of memory that threads can share, each with a function that selects it until mocks are restored. */
export const KINDS_OF_MEMORY: readonly (readonly [name: string, use: () => void])[] = [
  ["memory of WebAssembly", () => {}],
  ["a SharedArrayBuffer", useNoWebAssembly],
];

/** Simulates an environment without WebAssembly memory. */
export function useNoWebAssembly(): void {
  // Not every environment has types for it.
  const { WebAssembly: wasm } = globalThis as unknown as { readonly WebAssembly: { Memory: () => unknown } };
  vi.spyOn(wasm, "Memory").mockImplementation(refuseMemory);
}

/** Simulates a failed allocation. */
export function refuseMemory(): never {
  throw new RangeError("no memory");
}

/** The shared bytes of a store. */
export function bufferOf({ handle: { memory } }: SharedStore): SharedArrayBuffer {
  return memory instanceof SharedArrayBuffer ? memory : memory.buffer;
}
