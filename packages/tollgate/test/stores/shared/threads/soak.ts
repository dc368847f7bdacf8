import assert from "node:assert/strict";
import type { Limiter } from "tollgate";
import type { SharedStore } from "tollgate/shared";
import { expect } from "vitest";
import { enlist, Gate, type Member } from "./crew.ts";
import { frozenRows } from "./frozen-rows-in-memory.ts";
import { type LimitOf, limiterOver, sharedStore } from "./library.ts";
import { countOccupiedWriteSlots } from "./write-slots-in-memory.ts";

const LATE_MS = 10;
/**
 * On a busy machine the operating system interrupts some calls for longer. A key that is stuck would make every call on
 * it late.
 */
const MOST_LATE = 0.1;
const WORKERS = 4;
const KEYS = 5;
const BRIEF_KEYS = 1_000;
/** The longest time for which a worker calls before it is terminated. */
const LONGEST_LIFE_MS = 12;

/** Workers that call on keys until they are terminated, and the keys' state. */
export class Soak {
  readonly store: SharedStore;
  /** One for each list of limits. */
  readonly limiters: readonly Limiter[];
  /** The workers' current calls, and the units in use of each key as the workers have recorded them. */
  readonly doing = new Int32Array(new SharedArrayBuffer(4 * WORKERS));
  readonly units = new Int32Array(new SharedArrayBuffer(4 * KEYS));
  readonly answersMs: number[] = [];
  deaths = 0;
  /** How many workers died while they moved a key from one list of limits to another. */
  deathsInMoves = 0;
  /** How many workers died while they replaced a key's cells: each leaves a write slot occupied. */
  deathsInWriteSlots = 0;
  readonly #versions: readonly (readonly LimitOf[])[];
  #calls = 0;

  constructor(versions: readonly (readonly LimitOf[])[]) {
    this.#versions = versions;
    this.store = sharedStore({ maxKeys: 3_000, maxBytes: 2 ** 26 });
    this.limiters = versions.map((limits) => limiterOver(this.store, limits));
  }

  /** Starts four workers, which wait at a gate. */
  async crew(): Promise<{ readonly gate: Gate; readonly users: readonly Member[] }> {
    const gate = new Gate();
    const { doing, units } = this;
    const parameters = { versions: this.#versions, keys: KEYS, briefKeys: BRIEF_KEYS, doing, units };
    const job = { job: "until-terminated.mjs", parameters };
    const indexes = Array.from({ length: WORKERS }, (_, index) => index);
    return { gate, users: await Promise.all(indexes.map((index) => enlist(this.store.handle, index, gate, job))) };
  }

  /** Terminates all four at random times, one after another. Then each key must be as before or as after a call. */
  async round({ gate, users }: Awaited<ReturnType<Soak["crew"]>>): Promise<void> {
    this.doing.fill(0);
    gate.open();
    for (const [index, { worker }] of users.entries()) {
      while (Atomics.load(this.doing, index) === 0) await this.#watch(0);
      await this.#watch(Math.random() * LONGEST_LIFE_MS);
      await worker.terminate();
      this.deaths += 1;
      // The next call on the key moves it on. Before the last death, other workers have keys on the way.
      if (index === WORKERS - 1) this.deathsInMoves += frozenRows(this.store);
      this.#call(Math.max(0, Math.abs(this.doing[index]!) - 1));
    }
    for (let key = 0; key < KEYS; key += 1) this.#settle(key);
    this.deathsInWriteSlots = countOccupiedWriteSlots(this.store);
  }

  /** Reads keys while workers call on them: both limits always count the same units. */
  async #watch(forMs: number): Promise<void> {
    const endMs = performance.now() + forMs;
    let key = 0;
    do {
      this.#used(key);
      key = (key + 1) % KEYS;
      await new Promise((resolve) => setImmediate(resolve));
    } while (performance.now() < endMs);
  }

  /** Calls on the key on which the dead worker was probably calling. */
  #call(key: number): void {
    const beforeMs = performance.now();
    const admitted = this.#limiter.allow(`key ${key}`);
    this.answersMs.push(performance.now() - beforeMs);
    assert(admitted);
    Atomics.add(this.units, key, 1);
  }

  /** The units in use are those that workers recorded, and perhaps those that dead workers were about to record. */
  #settle(key: number): void {
    const used = this.#used(key);
    const notRecorded = used - this.units[key]!;
    const takes = this.doing.filter((what) => what === 1 + key).length;
    const gives = this.doing.filter((what) => what === -1 - key).length;
    assert(-gives <= notRecorded && notRecorded <= takes, `${notRecorded} units of key ${key} that no worker took`);
    this.units[key] = used;
  }

  /** The next version. */
  get #limiter(): Limiter {
    this.#calls += 1;
    return this.limiters[this.#calls % this.limiters.length]!;
  }

  #used(key: number): number {
    const [used, ...others] = this.#limiter.explain(`key ${key}`).map((report) => report.used);
    assert(
      others.every((other) => other === used),
      `one limit has counted ${used}, others ${others.join(", ")}`,
    );
    return used!;
  }
}

/** Runs rounds until `isEnough`. */
export async function soak(
  versions: readonly (readonly LimitOf[])[],
  isEnough: (soak: Soak) => boolean,
): Promise<Soak> {
  const one = new Soak(versions);
  for (let next = one.crew(); ; ) {
    const crew = await next;
    // The next crew starts during this round, because threads take long to start.
    next = one.crew();
    await one.round(crew);
    if (!isEnough(one)) continue;
    for (const { worker } of (await next).users) await worker.terminate();
    return one;
  }
}

/** No key is stuck. */
export function expectAnswers({ answersMs, store }: Soak): void {
  const late = answersMs.filter((ms) => ms > LATE_MS);
  expect(late.length, `${late.join(", ")} ms`).toBeLessThanOrEqual(MOST_LATE * answersMs.length + 1);
  expect(store.overflowCount).toBe(0);
}
