import { type BlockableRequest, Blocking } from "../algorithms/blocking.ts";
import type { SyncBlocks } from "../core/blocks.ts";
import { Report } from "../core/report.ts";
import type { Call, SyncSpace, TakenFrom } from "../core/store.ts";
import type { TimeCell } from "../core/time-cell.ts";
import { VERBS, type Verb } from "../core/verbs.ts";
import type { Line } from "./line.ts";
import type { Lines } from "./lines.ts";
import type { PlannedSpace } from "./space-list.ts";
import type { KeyLine, LineReason, Server } from "./waiter.ts";

/** The first line in which calls wait for these keys, one for each limiter. */
export function holdingLine<Space extends PlannedSpace>(
  all: readonly Lines<Space>[],
  keys: readonly string[],
  nowUs: number,
): Line<Space> | undefined {
  for (let i = 0; i < all.length; i += 1) {
    const line = all[i]!.find(keys[i]!);
    line?.serveDue(nowUs);
    if (line?.isHolding === true) return line;
  }
  return undefined;
}

/** The lines that a call may not overtake which does not wait. */
export function heldBy<Space extends PlannedSpace>(
  all: readonly Lines<Space>[],
  keys: readonly string[],
  nowUs: number,
): Line<Space>[] {
  return all.flatMap((lines, i) => (lines.barging ? [] : (holdingLine([lines], [keys[i]!], nowUs) ?? [])));
}

/** Reports a call as denied that would come after all that wait in a line. Figures that the report has stay. */
export function tellBehind<Space extends PlannedSpace>(
  line: KeyLine<Space>,
  server: Server<Space>,
  calls: readonly Call<Space>[],
  nowUs: number,
  reason: LineReason,
  report: Report,
): void {
  const forecast = line.forecast(server, nowUs);
  const told = new Report();
  forecast.tell(calls, told);
  const untilUs = Math.max(0, forecast.lastUs + line.lateUs - nowUs);
  for (let entry = 0; entry < told.used.length; entry += 1) {
    if (report.used.length === entry) {
      report.used.push(told.used[entry]!);
      report.resetUs.push(untilUs + told.resetUs[entry]!);
      report.conforms.push(true);
    }
    report.waitUs[entry] = Math.max(report.waitUs[entry] ?? 0, untilUs + told.waitUs[entry]!);
    report.usedAfterWait[entry] = told.usedAfterWait[entry]!;
  }
  report.admitted = false;
  report.line = reason;
}

/** Blocks, and lines: denies what a call would take before those that wait, and lets lines know of other changes. */
export class LineGuard extends Blocking {
  readonly #lines: readonly Lines<SyncSpace>[];
  readonly #server: () => Server<SyncSpace>;

  constructor(
    blocks: readonly (SyncBlocks | undefined)[],
    lines: readonly Lines<SyncSpace>[],
    server: () => Server<SyncSpace>,
  ) {
    super(blocks);
    this.#lines = lines;
    this.#server = server;
  }

  /** Whether a call waits for some key. */
  get someWait(): boolean {
    for (let i = 0; i < this.#lines.length; i += 1) if (this.#lines[i]!.some) return true;
    return false;
  }

  override get mayBlock(): boolean {
    return this.someWait || super.mayBlock;
  }

  /** Whether a key may be blocked, whether or not calls wait. */
  get mayBeBlocked(): boolean {
    return super.mayBlock;
  }

  override transact(
    verb: Verb,
    request: GuardedRequest,
    now: TimeCell,
    takenFrom?: TakenFrom,
    report: Report = new Report(),
  ): Report {
    if (!this.someWait) return super.transact(verb, request, now, takenFrom, report);
    const { takes, refunds } = VERBS[verb];
    const { keys, calls } = request;
    if (takes === "if all conform" && calls.some(({ costs }) => costs.some((cost) => cost > 0))) {
      const holding = heldBy(this.#lines, keys, now[0]!);
      if (holding.length > 0) return this.#deny(holding, request, now, report);
    }
    super.transact(verb, request, now, takenFrom, report);
    if (refunds) this.changed(keys);
    if (takes === "always") for (const line of this.#linesOf(keys)) line.delayed(now[0]!);
    return report;
  }

  /** Works like `transact`, for a call whose turn it is. */
  transactInTurn(verb: Verb, request: BlockableRequest, now: TimeCell): Report {
    return super.transact(verb, request, now);
  }

  /** Reports on a call that would have to wait behind a line. */
  tellDenied(line: KeyLine<SyncSpace>, request: GuardedRequest, now: TimeCell, reason: LineReason): Report {
    return this.#deny([line], request, now, new Report(), reason);
  }

  override block(
    keys: readonly string[],
    untilUs: number,
    reason: string | undefined,
    now: TimeCell,
  ): string | undefined {
    const full = super.block(keys, untilUs, reason, now);
    this.changed(keys);
    return full;
  }

  override unblock(keys: readonly string[], now: TimeCell): boolean {
    const wasBlocked = super.unblock(keys, now);
    this.changed(keys);
    return wasBlocked;
  }

  /** Lets the calls that wait for these keys, one for each limiter, know that they may be served earlier. */
  changed(keys: readonly string[]): void {
    for (const line of this.#linesOf(keys)) line.changed();
  }

  #deny(
    holding: readonly KeyLine<SyncSpace>[],
    request: GuardedRequest,
    now: TimeCell,
    report: Report,
    reason: LineReason = "others-waiting",
  ): Report {
    if (super.mayBlock) super.transact("peek", request, now, undefined, report);
    if (report.block === undefined) super.transact("explain", request, now, undefined, report);
    for (const line of holding) tellBehind(line, this.#server(), request.calls, now[0]!, reason, report);
    return report;
  }

  #linesOf(keys: readonly string[]): Line<SyncSpace>[] {
    return this.#lines.flatMap((lines, i) => lines.find(keys[i]!) ?? []);
  }
}

type GuardedRequest = BlockableRequest & { readonly calls: readonly Call<SyncSpace>[] };
