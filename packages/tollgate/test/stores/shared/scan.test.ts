import { createLimiter, fixedWindow, type Limit, perMinute } from "tollgate";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type AtomicOperations, SharedMemory, viewsOf } from "../../../src/stores/shared/shared-memory.ts";
import { NOWHERE, SET_WORDS, SharedSlots, STATE } from "../../../src/stores/shared/shared-slots.ts";
import { withUpperBits } from "../../../src/stores/shared/slot-state.ts";
import { twoEnds } from "./two-ends.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const LISTS: readonly (readonly [name: string, limits: readonly Limit[]])[] = [
  ["one cell", [perMinute(2)]],
  ["several cells", [perMinute(2), fixedWindow({ limit: 2, window: "1h" })]],
];

describe.each(LISTS)("a limiter over a shared store, with keys of %s", (_name, limits) => {
  function setUp() {
    const [here, there] = twoEnds({ maxKeys: 100, maxBytes: 2 ** 24 }).map((store) =>
      createLimiter({ name: "api", limits, store }),
    );
    return { here: here!, there: there!, firstKey: vi.spyOn(SharedSlots.prototype, "firstKey") };
  }

  it("scans no slots while no thread has inserted a key", () => {
    const { here, there, firstKey } = setUp();
    here.peek("ann");
    there.explain("ann");
    expect([here.size, here.sweep()]).toEqual([0, 0]);
    here.clear();
    expect(firstKey).not.toHaveBeenCalled();
  });
});

describe("a scan of shared slots", () => {
  it("reads about the sets alone that were ever used, and finds every key", () => {
    const sets = 100_000;
    const views = viewsOf(new SharedArrayBuffer(4 * (sets * SET_WORDS + SharedSlots.usedBlocksWords(sets))));
    let reads = 0;
    const words = new Proxy(views.words, {
      get(target, name) {
        reads += 1;
        return target[Number(name)];
      },
    });
    const atomics = {
      load: (_view: unknown, word: number) => words[word]!,
      compareExchange: (_view: unknown, word: number, before: number, after: number) =>
        Atomics.compareExchange(views.words, word, before, after),
    };
    const memory = new SharedMemory({ ...views, words }, atomics as unknown as AtomicOperations, undefined);
    const slots = new SharedSlots(memory, 0, sets, 0, sets * SET_WORDS, 0);
    const keys = Array.from({ length: 100 }, (_, i) => SET_WORDS * ((i * 3_989) % sets));
    for (const slot of keys) {
      slots.markUsed(slot);
      views.words[slot + STATE + 1] = withUpperBits(1, 1);
    }
    const found: number[] = [];
    reads = 0;
    for (let slot = slots.firstKey(); slot !== NOWHERE; slot = slots.nextKey(slot)) found.push(slot);
    expect(found).toEqual([...new Set(keys)].sort((one, other) => one - other));
    expect(reads).toBeLessThan(5_000);
  });
});
