import { describe, expect, it } from "vitest";
import { HEADER_WORDS, MOST_RESETS } from "../../../src/stores/shared/memory-layout.ts";
import { ResetLog } from "../../../src/stores/shared/reset-log.ts";
import { type AtomicOperations, SharedMemory, viewsOf } from "../../../src/stores/shared/shared-memory.ts";

const [ANN, BOB] = [0x12_34_56, 0x65_43_21];

/** The logs of two threads over one memory. `beforeLoad` runs before the first one loads a word. */
function twoThreads(beforeLoad = () => {}) {
  const views = viewsOf(new SharedArrayBuffer(HEADER_WORDS * Int32Array.BYTES_PER_ELEMENT));
  const { add, compareExchange, store } = Atomics;
  const load = ((array: Int32Array, index: number) => {
    beforeLoad();
    return Atomics.load(array, index);
  }) as typeof Atomics.load;
  const atomics: AtomicOperations = { add, compareExchange, load, store };
  const other = new ResetLog(new SharedMemory(views, Atomics, undefined));
  return { log: new ResetLog(new SharedMemory(views, atomics, undefined)), other };
}

describe("the log of resets", () => {
  it("knows a bounded number of resets, and takes all keys of older takes for reset", () => {
    const { log, other } = twoThreads();
    for (let i = 0; i < MOST_RESETS; i += 1) log.add(i);
    expect([other.hasReset([0], 0), other.hasReset([ANN], 0)]).toEqual([true, false]);
    log.add(BOB);
    expect([other.hasReset([ANN], 0), other.hasReset([ANN], 1), other.hasReset([BOB], 1)]).toEqual([true, false, true]);
  });

  it("keeps its rows when a thread sleeps while others make more resets than it knows", () => {
    let asleep = false;
    const { log, other } = twoThreads(() => {
      if (!asleep) return;
      asleep = false;
      for (let i = 0; i <= MOST_RESETS; i += 1) other.add(i);
    });
    asleep = true;
    log.add(ANN);
    const since = other.count - 1;
    expect([other.hasReset([ANN], since), other.hasReset([BOB], since)]).toEqual([true, false]);
    for (let i = 3; i <= MOST_RESETS; i += 1) expect(other.hasReset([i], 3), `reset ${i}`).toBe(true);
  });
});
