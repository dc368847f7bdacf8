import { Report } from "../../core/report.ts";
import type { Route } from "../choosing/route.ts";
import type { Request } from "../deciding/request.ts";
import type { Line } from "./line.ts";
import type { Forecaster, KeyLine, LineReason } from "./waiter.ts";

/** The first line in which calls wait for these keys, one for each owner. */
export function holdingLine({ owners }: Route, keys: readonly string[], nowUs: number): Line | undefined {
  for (let i = 0; i < owners.length; i += 1) {
    const line = owners[i]!.lines.find(keys[i]!);
    line?.serveDue(nowUs);
    if (line?.isHolding === true) return line;
  }
  return undefined;
}

/** The lines that a call may not overtake which does not wait. */
export function linesBefore({ owners }: Route, keys: readonly string[], nowUs: number): Line[] {
  return owners.flatMap(({ lines }, i) => {
    const line = lines.barging ? undefined : lines.find(keys[i]!);
    line?.serveDue(nowUs);
    return line?.isHolding === true ? [line] : [];
  });
}

/** What counts for these keys has become less: their lines may be served earlier. */
export function changed({ owners }: Route, keys: readonly string[]): void {
  for (const [i, { lines }] of owners.entries()) lines.find(keys[i]!)?.changed();
}

/** What counts for these keys has become more. */
export function delayed({ owners }: Route, keys: readonly string[], nowUs: number): void {
  for (const [i, { lines }] of owners.entries()) lines.find(keys[i]!)?.delayed(nowUs);
}

/**
 * Reports a call as denied that would come after all that wait in these lines, at the time of its request. `state` says
 * how the keys are, if the store could say so at once.
 */
export function tellBehind(
  lines: readonly KeyLine[],
  asker: Forecaster,
  { calls, now }: Request,
  reason: LineReason,
  state: Report = new Report(),
): Report {
  const nowUs = now[0]!;
  for (const line of lines) {
    const forecast = line.forecast(asker, nowUs);
    const told = new Report();
    forecast.tell(calls, told);
    const untilUs = Math.max(0, forecast.lastUs + line.lateUs - nowUs);
    for (let entry = 0; entry < told.used.length; entry += 1) {
      if (state.used.length === entry) {
        state.used.push(told.used[entry]!);
        state.resetUs.push(untilUs + told.resetUs[entry]!);
        state.conforms.push(true);
      }
      state.waitUs[entry] = Math.max(state.waitUs[entry] ?? 0, untilUs + told.waitUs[entry]!);
      state.usedAfterWait[entry] = told.usedAfterWait[entry]!;
    }
  }
  state.admitted = false;
  state.line = reason;
  return state;
}
