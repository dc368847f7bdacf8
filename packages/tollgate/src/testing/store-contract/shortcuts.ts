import { fixedWindow } from "../../algorithms/limits/fixed-window.ts";
import { slidingWindow } from "../../algorithms/limits/sliding-window.ts";
import { perSecond, tokenBucket } from "../../algorithms/limits/token-bucket.ts";
import type { Key } from "../../core/key.ts";
import type { Limiter } from "../../limiter/limiter.ts";
import { type AnyLimiter, type Bench, type ContractTests, randomBelow, same } from "./contract-case.ts";

const LISTS = [
  [perSecond(10)],
  [tokenBucket({ capacity: 7, refill: 11, per: "3s" }), slidingWindow({ limit: 6, window: "2s" })],
  [tokenBucket({ capacity: 3, refill: 1, per: "1s", initial: "empty" })],
  [fixedWindow({ limit: 8, window: "2s" }), perSecond(5, { mode: "shadow" })],
];
const CALLS = 250;
const BATCHES = [0, 1, 2, 63, 64, 65, 300];

/** Handles and batches decide as the same calls one by one over the reference. */
export const shortcuts: ContractTests = {
  "a handle decides as calls by its key do": async (bench) => {
    for (const [list, limits] of LISTS.entries()) {
      const name = `list-${list}`;
      await followHandles(bench, list, bench.limiter(limits, name), bench.reference(limits, name));
    }
  },
  "a batch decides as calls one after another": async (bench) => {
    for (const [list, limits] of LISTS.entries()) {
      const [limiter, reference] = [bench.limiter(limits, `list-${list}`), bench.reference(limits, `list-${list}`)];
      const below = randomBelow(list);
      for (const size of BATCHES) {
        const keys = Array.from({ length: size }, () => `key-${below(2 + size / 4)}`);
        const cost = 1 + below(2);
        const out = new Uint8Array(size);
        const admitted = await limiter.allowMany(keys, out, cost);
        const expected = keys.map((key) => (reference.allow(key, cost) ? 1 : 0));
        same(`list ${list}: a batch of ${size}`, [...out], expected);
        same(`list ${list}: admitted of ${size}`, admitted, expected.filter((answer) => answer === 1).length);
        bench.clock.advance(below(700));
      }
    }
  },
};

async function followHandles(bench: Bench, seed: number, limiter: AnyLimiter, reference: Limiter<Key>): Promise<void> {
  // There are two handles of one key, so that one meets what the other did.
  const handles = ["a", "a", "another key, and a longer one"].map((key) => ({ key, handle: limiter.handle(key) }));
  const below = randomBelow(seed);
  for (let call = 0; call < CALLS; call += 1) {
    const { key, handle } = handles[below(handles.length)]!;
    const cost = below(4);
    const what = `list ${seed}, call ${call}`;
    same(`${what}, consume ${cost}`, await handle.consume(cost), reference.consume(key, cost));
    same(`${what}, allow`, await handle.allow(), reference.allow(key));
    same(`${what}, allow by key`, await limiter.allow("a"), reference.allow("a"));
    await limiter.allow(`stranger-${call}`);
    const event = EVENTS[below(EVENTS.length)]!;
    for (const one of [limiter, reference]) await event(one);
    bench.clock.advance(below(3) * below(500));
  }
}

const nothing = (): void => {};

/** Administrative calls that may come between two calls; mostly none. */
const EVENTS: readonly ((limiter: AnyLimiter) => unknown)[] = [
  (limiter) => limiter.reset("a"),
  (limiter) => limiter.clear(),
  (limiter) => limiter.sweep(),
  ...Array.from({ length: 9 }, () => nothing),
];
