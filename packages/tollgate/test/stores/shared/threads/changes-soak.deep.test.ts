import { expect, it } from "vitest";
import { enlist, Gate, type Member } from "./crew.ts";
import { type LimitOf, sharedStore } from "./library.ts";
import { bucket, wide } from "./plans.ts";
import { expectAnswers, type Soak, soak } from "./soak.ts";

/** This many workers have to die while they move a key. TOLLGATE_DEATHS sets another number. */
const DEATHS_IN_MOVES = Number(process.env["TOLLGATE_DEATHS"] ?? 3);
/** On a busy machine few die within a move, so that many deaths are enough, too. */
const DEATHS = 80 * DEATHS_IN_MOVES;
const CAPACITY = 1_000_000;

it.each([
  { name: "one cell a key", versions: [bucket(CAPACITY), bucket(CAPACITY + 1), bucket(CAPACITY + 2)] },
  { name: "many cells a key", versions: [wide(CAPACITY), wide(CAPACITY + 1)] },
])("workers that are terminated while keys move neither lose nor double a count: $name", async ({ versions }) => {
  const isEnough = ({ deaths, deathsInMoves }: Soak) => deathsInMoves >= DEATHS_IN_MOVES || deaths >= DEATHS;
  expectAnswers(await soak(versions, isEnough));
});

const WORKERS = 4;
const MOST_WORKERS = 100;
const KEYS = 9;
const RUN_MS = 5_000;
const LIFE_MS = 250;
const FURTHER_CALLS = 100;

/** A limit that never denies. */
const spare: LimitOf = ["slidingWindow", { name: "spare", limit: 1_000_000, window: "1m", resolution: "10s" }];
const fast: LimitOf = ["tokenBucket", { name: "bucket", capacity: 500, refill: 500, per: "1s" }];
const large: LimitOf = ["tokenBucket", { name: "bucket", capacity: 800, refill: 300, per: "1s" }];

it.each([
  { name: "between two numbers", versions: [[fast], [large]] },
  { name: "between lists that lose a limit and regain it", versions: [[fast, spare], [large], [spare, large]] },
])(
  "threads that alternate $name admit no more than the larger ones would, and go on when others die",
  async ({ versions }) => {
    const { admitted, seconds, overflowCount } = await alternate(versions);
    expect(overflowCount).toBe(0);
    for (const units of admitted) {
      expect(units).toBeLessThanOrEqual(800 + 500 * seconds + 1);
      // Units come back, however few calls a busy machine leaves time for.
      expect(units).toBeGreaterThan(800);
    }
  },
);

/** Four threads alternate between versions of a limiter. One after another is terminated and replaced. */
async function alternate(versions: readonly (readonly LimitOf[])[]) {
  const store = sharedStore({ maxKeys: 100 });
  const admitted = new Int32Array(new SharedArrayBuffer(4 * KEYS));
  const calls = new Int32Array(new SharedArrayBuffer(4 * MOST_WORKERS));
  const done = new Int32Array(new SharedArrayBuffer(4));
  const job = {
    job: "alternate.mjs",
    call: "untilDone",
    clock: "store",
    parameters: { versions, keys: KEYS, done, admitted, calls },
  } as const;
  const gate = new Gate();
  gate.open();
  let started = 0;
  const start = (): Promise<Member> => {
    started += 1;
    return enlist(store.handle, started - 1, gate, job);
  };
  const startMs = performance.now();
  const members = await Promise.all(Array.from({ length: WORKERS }, start));
  while (performance.now() - startMs < RUN_MS) {
    await new Promise((resolve) => setTimeout(resolve, LIFE_MS));
    await members.shift()?.worker.terminate();
    members.push(await start());
  }
  const before = calls.slice();
  // Those that are alive go on.
  for (let index = started - WORKERS; index < started; index += 1) {
    while (calls[index]! < before[index]! + FURTHER_CALLS) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const counted = { admitted: admitted.slice(), seconds: (performance.now() - startMs) / 1_000 };
  Atomics.store(done, 0, 1);
  await Promise.all(members.map(({ worker }) => worker.terminate()));
  return { ...counted, overflowCount: store.overflowCount };
}
