import { describe, expect, it } from "vitest";
import { HEADER_WORDS, MOST_RESETS, RESET_ROWS_AT } from "../../../src/stores/shared/memory-layout.ts";
import { ResetLog } from "../../../src/stores/shared/reset-log.ts";
import { type AtomicOperations, SharedMemory, viewsOf } from "../../../src/stores/shared/shared-memory.ts";

const [ANN, BOB] = [0x12_34_56, 0x65_43_21];
/** Hashes of one set. */
const alike = (hash: number, count: number) => Array.from({ length: count }, (_, i) => hash + MOST_RESETS * (i + 1));

/** The logs of two threads over one memory. `beforeLoad` runs before the first one loads a word. */
function twoThreads(beforeLoad = () => {}) {
  const views = viewsOf(new SharedArrayBuffer(HEADER_WORDS * Int32Array.BYTES_PER_ELEMENT));
  const { add, compareExchange, store } = Atomics;
  const load = ((array: Int32Array, index: number) => {
    beforeLoad();
    return Atomics.load(array, index);
  }) as typeof Atomics.load;
  const atomics: AtomicOperations = { add, compareExchange, load, store };
  const other = new ResetLog(new SharedMemory(views, Atomics, undefined), RESET_ROWS_AT, MOST_RESETS);
  return { log: new ResetLog(new SharedMemory(views, atomics, undefined), RESET_ROWS_AT, MOST_RESETS), other };
}

describe("the log of resets", () => {
  it("knows the latest resets whose hashes end alike, and takes what is older for reset", () => {
    const { log, other } = twoThreads();
    const others = alike(ANN, 4);
    log.add(others.slice(0, 3));
    expect([other.hasReset(others[0]!, 0), other.hasReset(others[0]!, 1), other.hasReset(ANN, 0)]).toEqual([
      true,
      false,
      false,
    ]);
    log.add(others.slice(3));
    expect([other.hasReset(ANN, 0), other.hasReset(ANN, 1), other.hasReset(BOB, 0)]).toEqual([true, false, false]);
  });

  it("has one place for all resets of one key", () => {
    const { log, other } = twoThreads();
    for (let reset = 0; reset < 3 * MOST_RESETS; reset += 1) log.add(alike(ANN, 1));
    expect([other.hasReset(ANN, 0), other.hasReset(alike(ANN, 1)[0]!, log.count - 1)]).toEqual([false, true]);
  });

  it("keeps its rows when a thread sleeps while others make more resets than a set has", () => {
    let asleep = false;
    const { log, other } = twoThreads(() => {
      if (!asleep) return;
      asleep = false;
      other.add(alike(ANN, 5));
    });
    asleep = true;
    log.add([ANN]);
    // Takes before the reset of the first thread are not corrected, and later ones are.
    expect([other.hasReset(ANN, 0), other.hasReset(ANN, other.count)]).toEqual([true, false]);
    for (const [i, hash] of alike(ANN, 5).entries()) expect(other.hasReset(hash, 1 + i), `reset ${i}`).toBe(true);
  });

  it("sees a reset that is logged while it reads", () => {
    let loads = 0;
    const { log, other } = twoThreads(() => {
      loads += 1;
      // The rest of the set is read, and then the first of it again.
      if (loads === 4) other.add([...alike(ANN, 3), ANN]);
    });
    expect(log.hasReset(ANN, 0)).toBe(true);
  });
});
