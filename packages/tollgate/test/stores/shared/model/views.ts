import type { AtomicOperations, Views } from "../../../../src/stores/shared/shared-memory.ts";
import type { Operation, Value } from "./operation.ts";

/** Performs an operation on the shared memory, and returns the value before it. */
export type Access = (operation: Operation) => Value;

/** The views and atomic operations that a store gets. Every access goes through `access`. */
export interface WatchedMemory {
  readonly views: Views;
  readonly atomics: AtomicOperations;
}

/**
 * An access of one word is one step, and so is an atomic access of a pair. A plain number may tear, so its access is
 * two steps. Other threads see the steps of one thread in order: the exploration does not cover reordered plain
 * accesses.
 */
export function watched(views: Views, access: Access): WatchedMemory {
  const read = (word: number) => Number(access({ kind: "read", word, first: 0, second: 0 }));
  const write = (word: number, value: number) => access({ kind: "write", word, first: value | 0, second: 0 });

  const number = new Float64Array(1);
  const halves = new Int32Array(number.buffer);
  const readNumber = (index: number) => {
    const low = read(2 * index);
    const high = read(2 * index + 1);
    halves[0] = low;
    halves[1] = high;
    return number[0]!;
  };
  const writeNumber = (index: number, value: number) => {
    number[0] = value;
    const [low, high] = halves;
    write(2 * index, low!);
    write(2 * index + 1, high!);
  };
  const neverPlain = () => {
    throw new Error("views: expected pairs to be read and written by atomic operations alone");
  };

  const words = watchedArray(views.words, read, write);
  const pairs = watchedArray(views.pairs, neverPlain, neverPlain);
  const numbers = watchedArray(views.numbers, readNumber, writeNumber);
  const atomics = {
    load: (view: object, index: number) =>
      view === words ? read(index) : access({ kind: "read pair", word: 2 * index, first: 0, second: 0 }),
    store: (_view: Int32Array, index: number, value: number) => {
      write(index, value);
      return value;
    },
    // The only pair with additions is overflowCount, which no call reads.
    add: (view: object, index: number, value: number) =>
      view === words ? access({ kind: "add", word: index, first: value, second: 0 }) : 0n,
    compareExchange: (view: object, index: number, first: Value, second: Value) =>
      view === words
        ? access({ kind: "swap", word: index, first: Number(first) | 0, second: Number(second) | 0 })
        : access({ kind: "swap pair", word: 2 * index, first, second }),
  };
  return { views: { words, pairs, numbers }, atomics: atomics as unknown as AtomicOperations };
}

/** A typed array whose elements are read and written through functions. */
function watchedArray<View extends Int32Array | BigInt64Array | Float64Array>(
  view: View,
  read: (index: number) => unknown,
  write: (index: number, value: number) => void,
): View {
  return new Proxy(view, {
    get(target, name) {
      const index = Number(name);
      if (!Number.isNaN(index)) return read(index);
      if (name === "subarray") {
        return (from: number, to: number) =>
          watchedArray(
            view.subarray(from, to),
            (at) => read(from + at),
            (at, value) => write(from + at, value),
          );
      }
      const property: unknown = Reflect.get(target, name, target);
      return typeof property === "function" ? (property.bind(target) as unknown) : property;
    },
    set(_target, name, value: number) {
      write(Number(name), value);
      return true;
    },
  });
}
