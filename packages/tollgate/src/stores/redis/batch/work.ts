import type { Report } from "../../../core/report.ts";
import type { TransactionOutcome } from "../script/decode-reply.ts";
import type { ScriptTransaction, ScriptVerb } from "../script/encode-call.ts";
import { stepsOf } from "../script/steps.ts";
import type { DenialMemory } from "./denial-memory.ts";
import type { AskOptions, KeyCall } from "./key-call.ts";
import type { KeyLine } from "./key-line.ts";
import type { Waiter } from "./waiter.ts";

export interface WorkParts {
  readonly verb: ScriptVerb;
  readonly keys: readonly KeyCall[];
  readonly lines: readonly KeyLine<Work>[];
  readonly nowUs: number;
  /** When the first of the calls came, in the time of `ListeningTime`. */
  readonly sinceMs: number;
  readonly memory: DenialMemory;
  /** A call with options does not join. */
  readonly options: AskOptions | undefined;
}

/**
 * Calls that the server decides as one transaction: one call, or identical calls for one key that joined. Where they are more than the
 * server may be kept busy with at a time, they go out in slices. The first denial answers all takes after it: they are identical.
 */
export class Work implements ScriptTransaction {
  readonly verb: ScriptVerb;
  readonly keys: readonly KeyCall[];
  /** Those of its keys. */
  readonly lines: readonly KeyLine<Work>[];
  /** When the first of the calls came, in the time of `ListeningTime`. */
  readonly sinceMs: number;
  /** What of the calls that wait the next slice asks for. */
  times = 0;
  readonly tellsTime: boolean;
  readonly takenUs: number | undefined;
  readonly #memory: DenialMemory;
  readonly #changes: number;
  readonly #waiters: Waiter[] = [];
  #answered = 0;
  #nowUs: number;
  #wantsReports = false;
  #isClosed: boolean;
  #isUnderWay = false;

  constructor({ verb, keys, lines, nowUs, sinceMs, memory, options }: WorkParts) {
    this.verb = verb;
    this.keys = keys;
    this.lines = lines;
    this.sinceMs = sinceMs;
    this.tellsTime = options?.tellsTime === true;
    this.takenUs = options?.takenUs;
    this.#nowUs = nowUs;
    this.#memory = memory;
    this.#changes = memory.changes;
    this.#isClosed = options !== undefined || keys.length !== 1;
  }

  /** The moment of the newest call. */
  get nowUs(): number {
    return this.#nowUs;
  }

  get detail(): "each" | "first-denied" {
    return this.#wantsReports ? "each" : "first-denied";
  }

  /** Whether it changes nothing: one answer serves all its calls. */
  get isLook(): boolean {
    return this.verb === "peek" || this.verb === "explain";
  }

  /** Whether a slice has no answer yet: the next one waits for it, because both count in `pending`. */
  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  /** How many calls wait for an answer. */
  get pending(): number {
    return this.#waiters.length - this.#answered;
  }

  /** Whether such a call may join: the server would be asked the very same once more. */
  takes(verb: ScriptVerb, { space, costs }: KeyCall): boolean {
    if (this.#isClosed || verb !== this.verb) return false;
    const own = this.keys[0]!;
    return own.space === space && (own.costs === costs || own.costs.every((cost, i) => cost === costs[i]));
  }

  join(waiter: Waiter, nowUs: number): void {
    this.#waiters.push(waiter);
    this.#nowUs = nowUs;
    if (waiter.wantsReport) this.#wantsReports = true;
  }

  /** Chooses how many calls go out now, within so many steps, but at least one. From here on no call joins. */
  cut(mostSteps: number): number {
    this.#isClosed = true;
    this.#isUnderWay = true;
    this.times = this.isLook ? 1 : this.pending;
    let steps = stepsOf(this);
    while (steps > mostSteps && this.times > 1) {
      this.times = Math.max(1, Math.min(this.times - 1, Math.floor((this.times * mostSteps) / steps)));
      steps = stepsOf(this);
    }
    return steps;
  }

  /** The answer to the slice came, or will not come. */
  returned(): void {
    this.#isUnderWay = false;
  }

  /** Answers the calls of the slice, and those that its outcome decides besides. */
  done(outcome: TransactionOutcome): void {
    this.#remember(outcome);
    const { admitted, reports, decidedUs } = outcome;
    const isDenied = this.verb === "take" && admitted < this.times;
    // All of it may have been given up meanwhile.
    const count = this.isLook || isDenied ? this.pending : Math.min(this.times, this.pending);
    for (let i = 0; i < count; i += 1) {
      const isAdmitted = this.isLook ? admitted > 0 : i < admitted;
      this.#waiters[this.#answered]!.decided(isAdmitted, this.#reportOf(i, isAdmitted, reports), decidedUs);
      this.#answered += 1;
    }
  }

  failed(error: unknown): void {
    this.#isClosed = true;
    while (this.pending > 0) {
      this.#answered += 1;
      this.#waiters[this.#answered - 1]!.failed(error);
    }
  }

  /** Where figures are not wanted, the one report is that of the first denial. */
  #reportOf(call: number, isAdmitted: boolean, reports: readonly Report[]): Report | undefined {
    if (!this.#wantsReports && isAdmitted) return undefined;
    return reports[Math.min(call, reports.length - 1)];
  }

  /** Now, not when the callers go on: what the server decides later must not be remembered before. */
  #remember({ admitted, reports }: TransactionOutcome): void {
    if (this.verb !== "take") return;
    if (admitted > 0) for (const call of this.keys) this.#memory.admitted(call);
    const denial = admitted < this.times ? reports.at(-1) : undefined;
    if (denial !== undefined && this.keys.length === 1) {
      this.#memory.denied(this.keys[0]!, denial, this.#nowUs, this.#changes);
    }
  }
}
