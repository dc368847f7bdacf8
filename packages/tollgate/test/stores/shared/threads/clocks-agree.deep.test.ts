import { describe, expect, it } from "vitest";
import { enlist, Gate, type Job } from "./crew.ts";
import { sharedStore } from "./library.ts";

const TIMES = 50;
const AGREED_MS = 0.05;
const HOUR_MS = 3_600_000;

interface ClockQuestion {
  readonly by: "store" | "system";
  /** How long after the store was made the worker starts. */
  readonly delayMs: number;
  readonly correctedMs?: number;
}

/** How far a worker's time is at most outside this thread's times just before and just after, in milliseconds. */
async function disagreementMs({ by, delayMs, correctedMs }: ClockQuestion): Promise<number> {
  const store = sharedStore({ maxKeys: 1 });
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  const word = new Int32Array(new SharedArrayBuffer(4));
  const times = new Float64Array(new SharedArrayBuffer(8 * TIMES));
  const gate = new Gate();
  gate.open();
  const corrected = correctedMs === undefined ? {} : { correctedMs };
  const job: Job = { job: "store.mjs", call: "tellTime", ...corrected, parameters: { by, word, times } };
  const { worker, result } = await enlist(store.handle, 0, gate, job);
  let most = 0;
  for (let i = 0; i < TIMES; i += 1) {
    const before = store.clock.now();
    Atomics.store(word, 0, 1);
    while (Atomics.load(word, 0) !== 2);
    const after = store.clock.now();
    most = Math.max(most, before - times[i]!, times[i]! - after);
  }
  await result;
  await worker.terminate();
  return most;
}

describe("the clock of a shared store", () => {
  it.each([
    { name: "that starts at once", delayMs: 0 },
    { name: "that starts a second later", delayMs: 1_000 },
    { name: "that starts after the wall time was put forward by an hour", delayMs: 0, correctedMs: HOUR_MS },
    { name: "that starts after the wall time was put back by an hour", delayMs: 100, correctedMs: -HOUR_MS },
  ])("agrees with the clock in a thread $name", async (thread) => {
    expect(await disagreementMs({ by: "store", ...thread })).toBeLessThan(AGREED_MS);
  });

  it("differs from the thread's own clock, which a correction of the wall time shifts", async () => {
    const asked = { by: "system", delayMs: 0, correctedMs: HOUR_MS } as const;
    expect(Math.abs((await disagreementMs(asked)) - HOUR_MS)).toBeLessThan(1_000);
  });

  it("tells the wall time", () => {
    expect(Math.abs(sharedStore({ maxKeys: 1 }).clock.now() - Date.now())).toBeLessThan(HOUR_MS);
  });
});
