import { show, TollgateError } from "../../core/errors.ts";
import {
  HEADER_WORDS,
  LAYOUT_VERSION,
  LENGTH_AT,
  MAGIC,
  MAGIC_AT,
  MAX_KEYS_AT,
  MOST_BYTES,
  VERSION_AT,
} from "./memory-layout.ts";
import type { SharedBytes } from "./shared-memory.ts";
import { wasmMemory } from "./wasm-swap.ts";

/** What a worker needs to attach to a store: pass it by `workerData` or `postMessage`. */
export interface SharedStoreHandle {
  readonly kind: "tollgate/shared";
  readonly memory: SharedBytes;
}

export function handleOf(memory: SharedBytes): SharedStoreHandle {
  return Object.freeze({ kind: "tollgate/shared", memory });
}

/**
 * @throws TollgateError `ERR_STORE` if threads cannot share memory in this environment, or there is not enough memory.
 */
export function allocate(bytes: number): SharedBytes {
  checkSharing();
  const memory = wasmMemory(bytes) ?? plainMemory(bytes);
  if (memory !== undefined) return memory;
  throw new TollgateError(
    "ERR_STORE",
    `sharedStore: expected ${bytes} bytes of shared memory, got less; pass fewer maxKeys or maxBytes`,
  );
}

function plainMemory(bytes: number): SharedArrayBuffer | undefined {
  try {
    return new SharedArrayBuffer(bytes);
  } catch {
    return undefined;
  }
}

/** @throws TollgateError `ERR_STORE` if this is not a handle, or comes from another version of Tollgate. */
export function checkHandle(handle: unknown): SharedBytes {
  checkSharing();
  const { kind, memory } = (typeof handle === "object" && handle !== null ? handle : {}) as Partial<SharedStoreHandle>;
  if (kind !== "tollgate/shared") throw handleError("the handle of a shared store", show(handle));
  const buffer: unknown = memory instanceof SharedArrayBuffer ? memory : memory?.buffer;
  if (memory === undefined || !(buffer instanceof SharedArrayBuffer)) {
    throw handleError(
      "a handle whose memory is shared",
      `one with ${show(memory)}; pass it as it is, by workerData or postMessage`,
    );
  }
  const { byteLength } = buffer;
  if (byteLength < HEADER_WORDS * 4 || byteLength > MOST_BYTES || byteLength % 8 !== 0) {
    throw handleError("the memory of a shared store", `${byteLength} bytes`);
  }
  const words = new Int32Array(buffer);
  if (words[MAGIC_AT] !== MAGIC) throw handleError("the memory of a shared store", "memory of something else");
  if (words[VERSION_AT] !== LAYOUT_VERSION) {
    const version = `version ${String(words[VERSION_AT])}`;
    throw handleError(
      `a handle of layout version ${LAYOUT_VERSION}`,
      `${version}; all threads have to run the same version of tollgate`,
    );
  }
  if (words[LENGTH_AT] !== words.length) {
    throw handleError(`${words[LENGTH_AT]!} words of shared memory`, `${words.length}`);
  }
  if (words[MAX_KEYS_AT]! < 1) throw handleError("the memory of a shared store", `one for ${words[MAX_KEYS_AT]!} keys`);
  return memory;
}

function checkSharing(): void {
  if (typeof SharedArrayBuffer === "function" && typeof Atomics === "object") return;
  throw new TollgateError(
    "ERR_STORE",
    "sharedStore: expected SharedArrayBuffer, got none; in a browser serve the page with the headers " +
      "Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp, " +
      "elsewhere use memoryStore() or tableStore()",
  );
}

function handleError(expected: string, got: string): TollgateError {
  return new TollgateError("ERR_STORE", `sharedStore.attach: expected ${expected}, got ${got}`);
}
