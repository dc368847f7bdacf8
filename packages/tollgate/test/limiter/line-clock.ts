import { type Decision, DeniedError } from "tollgate";
import { type ManualClock, manualClock } from "tollgate/testing";

/** A manual clock that counts what it is to call back. */
export interface CountingClock extends ManualClock {
  readonly timers: number;
}

export function countingClock(startMs: number): CountingClock {
  const clock = manualClock(startMs);
  const alive = new Set<object>();
  return {
    ...clock,
    get timers() {
      return alive.size;
    },
    schedule: (callback, delayMs) => {
      const timer = {};
      alive.add(timer);
      const cancel = clock.schedule(() => {
        alive.delete(timer);
        callback();
      }, delayMs);
      return () => {
        alive.delete(timer);
        cancel();
      };
    },
  };
}

/** How a wait has ended: a reason, `"allowed"`, the text of an error, or `"waits"` while it has not. */
export interface Wait {
  end: string;
  retryAfterMs: number;
}

export function follow(promise: Promise<Decision>): Wait {
  const wait: Wait = { end: "waits", retryAfterMs: 0 };
  void note(promise, wait);
  return wait;
}

async function note(promise: Promise<Decision>, wait: Wait): Promise<void> {
  try {
    await promise;
    wait.end = "allowed";
  } catch (error) {
    if (!(error instanceof DeniedError)) {
      wait.end = String(error);
      return;
    }
    wait.end = error.decision.reason;
    wait.retryAfterMs = error.decision.retryAfterMs;
  }
}

/** The denial with which a call ends. */
export async function denialOf(call: Promise<unknown>): Promise<Decision & { allowed: false }> {
  const error: unknown = await call.then(
    () => "allowed",
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DeniedError)) throw new Error(`expected a denial, got ${String(error)}`);
  return error.decision;
}

/** Lets promises that are settled tell so. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}
