import { describe, expect, it } from "vitest";
import { HEADER_WORDS, MOST_RESETS } from "../../../src/stores/shared/memory-layout.ts";
import { NO_SLOT, ResetLog } from "../../../src/stores/shared/reset-log.ts";
import { type AtomicOperations, SharedMemory, viewsOf } from "../../../src/stores/shared/shared-memory.ts";
import { STATE } from "../../../src/stores/shared/shared-slots.ts";

const [ANN, BOB] = [0x12_34_56, 0x65_43_21];
const SLOT = HEADER_WORDS;

/** The logs of two threads over one memory. `beforeLoad` runs before the first one loads a word. */
function twoThreads(beforeLoad = () => {}) {
  const views = viewsOf(new SharedArrayBuffer((HEADER_WORDS + 16) * Int32Array.BYTES_PER_ELEMENT));
  const atomics: AtomicOperations = {
    ...pick(),
    load: ((array: Int32Array, index: number) => {
      beforeLoad();
      return Atomics.load(array, index);
    }) as typeof Atomics.load,
  };
  const other = new ResetLog(new SharedMemory(views, Atomics, undefined));
  return { words: views.words, log: new ResetLog(new SharedMemory(views, atomics, undefined)), other };
}

function pick(): AtomicOperations {
  const { add, compareExchange, load, store } = Atomics;
  return { add, compareExchange, load, store };
}

describe("the log of resets", () => {
  it("takes a reset for done as soon as its slot is free", () => {
    const { words, log, other } = twoThreads();
    words[SLOT + STATE + 1] = 5;
    const number = log.begin(ANN, SLOT, 5);
    expect(other.hasReset([ANN], 0)).toBe(false);
    // Here a thread may die. The slot gets another generation then.
    words[SLOT + STATE + 1] = 6;
    expect(other.hasReset([ANN], 0)).toBe(true);
    log.end(number, SLOT, 5);
    // Generations come again.
    words[SLOT + STATE + 1] = 5;
    expect(other.hasReset([ANN], 0)).toBe(true);
  });

  it("knows a bounded number of resets, and takes all keys of older takes for reset", () => {
    const { log, other } = twoThreads();
    for (let i = 0; i < MOST_RESETS; i += 1) log.begin(i, NO_SLOT, 0);
    expect([other.hasReset([0], 0), other.hasReset([ANN], 0)]).toEqual([true, false]);
    log.begin(BOB, NO_SLOT, 0);
    expect([other.hasReset([ANN], 0), other.hasReset([ANN], 1), other.hasReset([BOB], 1)]).toEqual([true, false, true]);
  });

  it("keeps its rows when a thread sleeps while others make more resets than it knows", () => {
    let asleep = false;
    const { log, other } = twoThreads(() => {
      if (!asleep) return;
      asleep = false;
      for (let i = 0; i <= MOST_RESETS; i += 1) other.begin(i, NO_SLOT, 0);
    });
    asleep = true;
    log.begin(ANN, NO_SLOT, 0);
    const since = other.count - 1;
    expect([other.hasReset([ANN], since), other.hasReset([BOB], since)]).toEqual([true, false]);
    for (let i = 3; i <= MOST_RESETS; i += 1) expect(other.hasReset([i], 3), `reset ${i}`).toBe(true);
  });
});
