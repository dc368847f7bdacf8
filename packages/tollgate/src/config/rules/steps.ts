import { systemClock } from "../../core/clock.ts";

/** Work that may pause after each step, and ends with a value: large files must not block the thread for long. */
export type Steps<Value> = Generator<undefined, Value>;

/** Takes all steps at once. */
export function finish<Value>(steps: Steps<Value>): Value {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The longest time that steps take before other work may run. */
const TURN_MS = 10;

/** Lets other work run in between. `undefined` if the value is wanted no longer. */
export async function inTurns<Value>(steps: Steps<Value>, isWanted: () => boolean): Promise<Value | undefined> {
  for (let endMs = systemClock.now() + TURN_MS; ; ) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (systemClock.now() < endMs) continue;
    await otherWork();
    if (!isWanted()) return undefined;
    endMs = systemClock.now() + TURN_MS;
  }
}

/** Resolves when the event loop has gone round. */
function otherWork(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 0));
}
