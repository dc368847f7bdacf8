import { readUs } from "../../core/clock.ts";
import type { Cost } from "../../core/cost.ts";
import { rejected } from "../../core/maybe-async.ts";
import type { Selected } from "../choosing/selected.ts";
import type { Decider } from "../deciding/decider.ts";
import { holdingLine } from "./behind.ts";
import type { Line } from "./line.ts";
import { beginPulse } from "./pulse.ts";
import { Turn } from "./turn.ts";
import type { CheckedWait } from "./wait-options.ts";
import { type WaitEnd, Waiter } from "./waiter.ts";

/** Waits for a turn. `end` is called once, in the turn in which the call is decided. Throws `ERR_COST`. */
export function beginWait(
  limiter: Decider,
  selected: Selected,
  cost: Cost,
  { signal, maxWaitUs }: CheckedWait,
  end: (ended: WaitEnd) => void,
): void {
  const nowUs = readUs(limiter.clock);
  const line = holdingLine(selected.route, selected.keys, nowUs);
  const last = line?.tail?.call;
  // Most calls of a line are alike, and share what is waited for.
  const call =
    last instanceof Turn && last.isSame(limiter, selected, cost) ? last : new Turn(limiter, selected.kept(), cost);
  if (signal?.aborted === true) {
    end(rejected(signal.reason));
    return;
  }
  const decision = call.decisionAtOnce() ?? (line && call.denialBehind(line, nowUs, maxWaitUs));
  if (decision !== undefined) {
    call.ended(decision);
    end(decision);
    return;
  }
  const deadlineUs = maxWaitUs === Number.POSITIVE_INFINITY ? undefined : nowUs + maxWaitUs;
  const waiter = new Waiter(call, nextOrder(call), deadlineUs, line !== undefined, signal, end);
  const joined = line ?? firstLine(call);
  joined.join(waiter);
  joined.serve();
  beginPulse(waiter);
}

/** The line in which a call waits that is the first for its keys. */
function firstLine({ owners, keys }: Turn): Line {
  for (const [i, { lines }] of owners.entries()) {
    const line = lines.find(keys[i]!);
    if (line !== undefined) return line;
  }
  return owners[0]!.lines.open(keys[0]!);
}

/** Greater than those of all calls that may stand in the same lines. */
function nextOrder({ owners }: Turn): number {
  let order = 0;
  for (const { lines } of owners) if (lines.lastOrder >= order) order = lines.lastOrder + 1;
  for (const { lines } of owners) lines.lastOrder = order;
  return order;
}
