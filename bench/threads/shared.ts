import { coarseClock, createLimiter, type Limiter } from "tollgate";
import type { SharedStore } from "tollgate/shared";
import { KeyPool, shuffled } from "../harness/keys.ts";
import { expectCount, monotonicMs } from "../harness/measuring.ts";
import { CHUNK } from "../process/jobs.ts";
import { AMPLE, CAPACITY, MANY_KEYS, type SharedVariant, UNIT_MS } from "./rows.ts";
import { type Counted, expectAllAdmitted, sumOf, type ThreadSample } from "./window.ts";

export function openLimiter(store: SharedStore, variant: Pick<SharedVariant, "clock">): Limiter {
  const clock = variant.clock === "coarse" ? coarseClock(store.clock) : store.clock;
  return createLimiter({ name: "bench", limits: [AMPLE], store, clock });
}

/** Makes this many calls in a loop of its own. Returns the number of admitted ones. */
type Decide = (calls: number) => number;

/** Between two readings of the clock: microseconds. */
const CALLS_PER_READING = 1_024;

/** Decides until the deadline, and at least `leastCalls` times. */
export function decideUntil(deadlineMs: number, decide: Decide, leastCalls: number): Counted {
  let calls = 0;
  let admitted = 0;
  while (monotonicMs() < deadlineMs || calls < leastCalls) {
    admitted += decide(CALLS_PER_READING);
    calls += CALLS_PER_READING;
  }
  return { calls, admitted };
}

export function keysOf(form: SharedVariant["form"]): number {
  return form === "strings" ? MANY_KEYS : 1;
}

/** Makes a thread's keys before the measurement. Returns the loop over them. */
export function deciderOf(form: SharedVariant["form"], limiter: Limiter, thread: number): Decide {
  const pool = new KeyPool(keysOf(form));
  switch (form) {
    case "handle":
      return decideAboutHandle(limiter, pool.key(0));
    case "string": {
      // Many strings of the same text: no call has the string of the call before.
      const strings = Array.from({ length: CHUNK }, () => pool.key(0));
      return decideAboutStrings(limiter, strings);
    }
    case "strings": {
      const strings = keyOrder(thread, MANY_KEYS).map((index) => pool.key(index));
      return decideAboutStrings(limiter, strings);
    }
    default:
      return form satisfies never;
  }
}

function decideAboutHandle(limiter: Limiter, key: string): Decide {
  const handle = limiter.handle(key);
  return (calls) => {
    let admitted = 0;
    for (let i = 0; i < calls; i += 1) if (handle.allow()) admitted += 1;
    return admitted;
  };
}

function decideAboutStrings(limiter: Limiter, strings: readonly string[]): Decide {
  const { length } = strings;
  let next = 0;
  return (calls) => {
    let admitted = 0;
    let place = next;
    for (let i = 0; i < calls; i += 1) {
      if (limiter.allow(strings[place]!)) admitted += 1;
      place = place + 1 === length ? 0 : place + 1;
    }
    next = place;
    return admitted;
  };
}

export function keyOrder(thread: number, keys: number): number[] {
  const indices = Array.from({ length: keys }, (_, index) => index);
  return shuffled(indices, thread + 1);
}

/** @throws Error when a call was denied, or when the keys have lost more or fewer units than the calls took. */
export function checkAdmitted(
  limiter: Limiter,
  form: SharedVariant["form"],
  samples: readonly ThreadSample[],
  sinceOpenedMs: () => number,
): void {
  expectAllAdmitted(samples);
  const keys = keysOf(form);
  const pool = new KeyPool(keys);
  let missing = 0;
  for (let index = 0; index < keys; index += 1) missing += CAPACITY - limiter.peek(pool.key(index), 0).remaining!;
  const taken = sumOf(samples, "callsInAll");
  // On a very slow machine some units have come back, also during this check.
  const mostBack = keys * Math.floor(sinceOpenedMs() / UNIT_MS);
  if (missing > taken || missing < taken - mostBack) expectCount("units taken", missing, taken);
}
