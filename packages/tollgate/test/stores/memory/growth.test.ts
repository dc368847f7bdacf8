import fc from "fast-check";
import { createLimiter, type Limit, memoryStore, slidingWindow, tokenBucket } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, vi } from "vitest";
import { START_MS } from "../../start-ms.ts";

const AMPLE = { maxKeys: 1_000_000, maxBytes: 2 ** 32 };
/** A chunk of slots, with a chunk's share of the other arrays. */
const MOST_BYTES_PER_CALL = 2 ** 18 + 2 ** 16;

const bucket = tokenBucket({ capacity: 100, refill: 1, per: "1s" });
/** Its window is over when the bucket of the same key has refilled one unit. */
const wide = slidingWindow({ limit: 1_000, window: "1s", resolution: "1ms" });

/** Units in use, as a plain Map knows them. */
class Reference {
  readonly #debts = new Map<string, { used: number; atMs: number }>();

  used(key: string, nowMs: number): number {
    const debt = this.#debts.get(key);
    return debt === undefined ? 0 : Math.max(0, debt.used - (nowMs - debt.atMs) / 1_000);
  }

  charge(key: string, cost: number, nowMs: number): void {
    this.#debts.set(key, { used: this.used(key, nowMs) + cost, atMs: nowMs });
  }

  delete(key: string): void {
    this.#debts.delete(key);
  }

  clear(): void {
    this.#debts.clear();
  }

  inUse(nowMs: number): number {
    return [...this.#debts.keys()].filter((key) => this.used(key, nowMs) > 0).length;
  }

  keys(): string[] {
    return [...this.#debts.keys()];
  }
}

function setUp(limits: readonly Limit[]) {
  const clock = manualClock(START_MS);
  const store = memoryStore(AMPLE);
  return { clock, store, limiter: createLimiter({ limits, clock, store }) };
}

type Step = readonly ["charge" | "reset" | "sweep" | "clear", part: number, seconds: number];

const STEPS = fc.array(
  fc.tuple(
    fc.constantFrom("charge", "charge", "reset", "sweep", "clear"),
    fc.integer({ min: 1, max: 100 }),
    fc.integer({ min: 0, max: 3 }),
  ) satisfies fc.Arbitrary<Step>,
  { minLength: 4, maxLength: 12 },
);

/** A hash of four bytes and a number of eight for each reset of a key or of all keys that a large store remembers. */
const LOG_BYTES = 12 * (2 ** 14 + 2 ** 13);

function play(limits: readonly Limit[], keys: number, steps: readonly Step[]): void {
  const { clock, store, limiter } = setUp(limits);
  const reference = new Reference();
  for (const [verb, part, seconds] of steps) {
    const nowMs = clock.now();
    for (let i = part % 7; i < (keys * part) / 100; i += 1 + (part % 3)) {
      const key = `key-${(i * 7_919) % keys}`;
      if (verb === "charge") {
        limiter.charge(key, 1 + (i % 5));
        reference.charge(key, 1 + (i % 5), nowMs);
      } else if (verb === "reset") {
        limiter.reset(key);
        reference.delete(key);
      }
    }
    if (verb === "clear" && part > 80) {
      limiter.clear();
      reference.clear();
    } else if (verb === "sweep") {
      limiter.sweep();
      expect(limiter.size).toBe(reference.inUse(nowMs));
    }
    clock.advance(1_000 * seconds);
  }
  for (const key of reference.keys()) {
    expect(limiter.explain(key)[0]?.used).toBe(reference.used(key, clock.now()));
  }
  limiter.clear();
  // A front cache may remain, and the log of resets.
  expect(store.bytes).toBeLessThan(150_000 + LOG_BYTES);
}

describe("a memory store that grows and shrinks over several chunks", () => {
  it.each([
    ["20,000 keys of a bucket", [bucket], 20_000],
    ["300 keys of a window of a thousand groups", [bucket, wide], 300],
    ["no more keys than a chunk has slots", [bucket], 40],
  ] as const)("counts like a plain Map: %s", (_which, limits, keys) => {
    fc.assert(
      fc.property(STEPS, (steps) => play(limits, keys, steps)),
      { numRuns: keys > 10_000 ? 10 : 40 },
    );
  });
});

/** The bytes of the largest allocation of typed arrays in one call so far, and what calls of `use` allocate. */
function watchAllocations() {
  let allocated = 0;
  for (const name of ["Float64Array", "Int32Array"] as const) {
    const handler: ProxyHandler<Float64ArrayConstructor | Int32ArrayConstructor> = {
      construct: (target, parts) => {
        const array: ArrayBufferView = Reflect.construct(target, parts);
        // A view of another array allocates nothing.
        if (!(parts[0] instanceof ArrayBuffer)) allocated += array.byteLength;
        return array;
      },
    };
    vi.stubGlobal(name, new Proxy(globalThis[name], handler));
  }
  return {
    bytesOf: (use: () => void) => {
      allocated = 0;
      use();
      return allocated;
    },
  };
}

describe("no call allocates more than a chunk of a memory store", () => {
  it.each([
    ["buckets", [bucket], 100_000],
    ["windows of a thousand groups", [bucket, wide], 1_000],
  ] as const)("while keys come, are swept and are cleared: %s", (_which, limits, keys) => {
    const { bytesOf } = watchAllocations();
    const { clock, store, limiter } = setUp(limits);
    let mostAllocated = 0;
    let mostCharged = 0;
    let charged = 0;
    const watch = (use: () => void) => {
      mostAllocated = Math.max(mostAllocated, bytesOf(use));
      mostCharged = Math.max(mostCharged, store.bytes - charged);
      charged = store.bytes;
    };
    for (let i = 0; i < keys; i += 1) watch(() => limiter.allow(`key-${i}`));
    expect(limiter.size).toBe(keys);
    clock.advance(100_000);
    watch(() => limiter.sweep());
    expect(limiter.size).toBe(0);
    for (let i = 0; i < keys / 10; i += 1) watch(() => limiter.allow(`key-${i}`));
    watch(() => limiter.clear());
    expect(mostAllocated).toBeGreaterThan(0);
    expect([mostAllocated, mostCharged].filter((bytes) => bytes > MOST_BYTES_PER_CALL)).toEqual([]);
  });
});
