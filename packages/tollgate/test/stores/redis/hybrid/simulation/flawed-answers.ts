import type { Report } from "../../../../../src/core/report.ts";
import type { LeaseWaiter } from "../../../../../src/stores/redis/batch/waiter.ts";
import type { LeaseAsk, LeaseGrant } from "../../../../../src/stores/redis/script/lease.ts";
import type { Flaw } from "./flaw.ts";

/** Gives a node its answer, as a flaw makes it. */
export function answer(
  flaw: Flaw | undefined,
  waiter: LeaseWaiter,
  admitted: number,
  report: Report,
  grant: LeaseGrant,
): void {
  const seen = flaw?.grant?.(grant) ?? grant;
  waiter.granted(admitted, report, seen);
  if (flaw?.answers === "twice") waiter.granted(0, report, seen);
}

/** Tells a node that no answer came. By a flaw it assumes to have got what it wanted. */
export function timeOut(flaw: Flaw | undefined, ask: LeaseAsk, waiter: LeaseWaiter): void {
  if (flaw?.answers !== "assumed" || ask.calls > 0) {
    waiter.failed(new Error("timed out"));
    return;
  }
  const none = ask.wanted.map(() => 0);
  const report = { used: none, resetUs: none, waitUs: none } as unknown as Report;
  const { ttlUs: lastsUs, wanted: units } = ask;
  waiter.granted(0, report, { endsUs: 1, lastsUs, nodes: 1, isScarce: false, units });
}
