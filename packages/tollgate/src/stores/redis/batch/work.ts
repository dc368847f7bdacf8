import type { Report } from "../../../core/report.ts";
import { UnavailableError } from "../../remote/unavailable-error.ts";
import { rejectionCause } from "../clients/client-failure.ts";
import type { MovedKey, TransactionOutcome } from "../script/decode-reply.ts";
import type { LeaseAsk } from "../script/lease.ts";
import { SCRIPT_VERBS } from "../script/script-verbs.ts";
import { stepsOf } from "../script/steps.ts";
import type { ScriptBlock, ScriptTransaction, ScriptVerb } from "../script/transaction.ts";
import type { AskOptions, KeyCall } from "./key-call.ts";
import { type KeyLine, type LinedUp, MOST_STEPS } from "./key-line.ts";
import type { Waiter } from "./waiter.ts";

/** Remembers denials. It is told of the server's decisions in the order in which the server made them. */
export interface DenialMemory {
  /** How many refunds and charges there were so far. A denial that was requested before the last one is not cached. */
  readonly changes: number;
  /** Forgets a denial, because a call of the same key was admitted. */
  forget(call: KeyCall): void;
  /** `nowUs` is not later than the decision. `changes` is the value when the call was made. */
  note(call: KeyCall, report: Report, nowUs: number, changes: number): void;
}

interface WorkParts {
  readonly verb: ScriptVerb;
  readonly keys: readonly KeyCall[];
  readonly lines: readonly KeyLine<Work>[];
  /** The first call. */
  readonly waiter: Waiter;
  readonly nowUs: number;
  /** When the first call was made, in the time of `ListeningTime`. */
  readonly sinceMs: number;
  readonly memory: DenialMemory;
  /** No call joins a call with options. */
  readonly options: AskOptions | undefined;
}

/**
 * Calls that the server decides as one transaction: one call, or identical calls for one key. If they are too many
 * steps for the server at a time, they are sent in slices. The first denial answers all takes after it, because they
 * are identical.
 */
export class Work implements ScriptTransaction, LinedUp {
  readonly verb: ScriptVerb;
  readonly keys: readonly KeyCall[];
  /** The lines of its keys. */
  readonly lines: readonly KeyLine<Work>[];
  /** When the first call was made, in the time of `ListeningTime`. */
  readonly sinceMs: number;
  /** Whether it changes nothing, so that one answer serves all its calls. */
  readonly isReadOnly: boolean;
  /** A reset drops what the calls before it took, so it waits for their answers. */
  readonly comesLast: boolean;
  /** Whether it is the next in the lines of all its keys, and waits to be sent. */
  isReady = false;
  /** Whether a slice is in flight. The next one waits for it, because both count in `pending`. */
  isUnderWay = false;
  /** Whether all calls that have no answer are in flight. */
  isWhole = false;
  /** How many calls have no answer yet. */
  pending = 1;
  /** The moment of the newest call. */
  nowUs: number;
  detail: "each" | "first-denied";
  /** How many of the pending calls the next slice has. */
  times = 0;
  readonly takenUs: number | undefined;
  readonly block: ScriptBlock | undefined;
  readonly lease: LeaseAsk | undefined;
  readonly #memory: DenialMemory;
  readonly #changes: number;
  readonly #waiters: Waiter[];
  #answered = 0;
  #isClosed: boolean;

  constructor({ verb, keys, lines, waiter, nowUs, sinceMs, memory, options }: WorkParts) {
    this.verb = verb;
    this.keys = keys;
    this.lines = lines;
    this.sinceMs = sinceMs;
    const { changes, renews, forgets } = SCRIPT_VERBS[verb];
    this.isReadOnly = !changes;
    this.comesLast = forgets;
    this.takenUs = options?.takenUs;
    this.block = options?.block;
    this.lease = options?.lease;
    this.nowUs = nowUs;
    // Nearly all work has one call. A list that grows has room for 16 more.
    this.#waiters = [waiter];
    this.detail = waiter.wantsReport ? "each" : "first-denied";
    this.#memory = memory;
    this.#changes = memory.changes;
    // After a call that begins a block the next one is denied by it, so calls of such a plan are not alike.
    this.#isClosed = renews || options !== undefined || keys.length !== 1 || keys[0]!.plan.blocksKeys;
  }

  /** Whether a call is identical and may join. */
  canJoin(verb: ScriptVerb, { space, costs, untilUs, decidedUs }: KeyCall): boolean {
    if (this.#isClosed || verb !== this.verb) return false;
    const own = this.keys[0]!;
    if (own.space !== space || own.decidedUs !== decidedUs) return false;
    return areEqual(own.costs, costs) && areEqual(own.untilUs, untilUs);
  }

  join(waiter: Waiter, nowUs: number): void {
    this.#waiters.push(waiter);
    this.pending += 1;
    this.nowUs = nowUs;
    if (waiter.wantsReport) this.detail = "each";
  }

  /** Chooses how many calls to send now, as many as its lines allow, but at least one. No call joins afterwards. */
  cut(): number {
    let mostSteps = MOST_STEPS;
    for (const line of this.lines) mostSteps = Math.min(mostSteps, MOST_STEPS - line.steps);
    this.#isClosed = true;
    this.isUnderWay = true;
    this.times = this.isReadOnly ? 1 : this.pending;
    let steps = stepsOf(this);
    while (steps > mostSteps && this.times > 1) {
      this.times = Math.max(1, Math.min(this.times - 1, Math.floor((this.times * mostSteps) / steps)));
      steps = stepsOf(this);
    }
    this.isWhole = this.isReadOnly || this.pending === this.times;
    return steps;
  }

  /** Answers the calls of the slice, and the later calls that its outcome decides. */
  done(outcome: TransactionOutcome): void {
    this.isUnderWay = false;
    const { admitted, reports, decidedUs, grant, rejected } = outcome;
    if (rejected !== undefined) {
      this.failed(new UnavailableError(rejectionCause(rejected), "command"));
      return;
    }
    this.#remember(outcome);
    if (grant !== undefined) {
      this.#next().granted?.(admitted, reports[0]!, grant);
      return;
    }
    const isDenied = SCRIPT_VERBS[this.verb].decides && admitted < this.times;
    // The calls may have failed meanwhile.
    const count = this.isReadOnly || isDenied ? this.pending : Math.min(this.times, this.pending);
    for (let i = 0; i < count; i += 1) {
      const isAdmitted = this.isReadOnly ? admitted > 0 : i < admitted;
      this.#next().decided(isAdmitted, this.#reportOf(i, isAdmitted, reports), decidedUs);
    }
  }

  failed(error: unknown): void {
    this.isUnderWay = false;
    this.#isClosed = true;
    while (this.pending > 0) this.#next().failed(error);
  }

  /** Notifies the observers of the limiters whose keys moved. */
  notifyMoves(moved: readonly MovedKey[]): void {
    for (const { key, from } of moved) {
      const { space, key: name } = this.keys[key]!;
      space.context.onMove?.(name, from, space.plan.limits);
    }
  }

  /** The next caller, which is answered now. */
  #next(): Waiter {
    this.pending -= 1;
    this.#answered += 1;
    return this.#waiters[this.#answered - 1]!;
  }

  /** If no call needs figures, the only report is that of the first denial. */
  #reportOf(call: number, isAdmitted: boolean, reports: readonly Report[]): Report | undefined {
    if (this.detail === "first-denied" && isAdmitted) return undefined;
    return reports[Math.min(call, reports.length - 1)];
  }

  /** Runs synchronously, before the callers resume: memory must follow the order of the server's decisions. */
  #remember({ admitted, reports }: TransactionOutcome): void {
    const { decides, changes } = SCRIPT_VERBS[this.verb];
    if (!(decides && changes)) return;
    if (admitted > 0) for (const call of this.keys) this.#memory.forget(call);
    const denial = admitted < this.times ? reports.at(-1) : undefined;
    if (denial !== undefined && this.keys.length === 1) {
      this.#memory.note(this.keys[0]!, denial, this.nowUs, this.#changes);
    }
  }
}

function areEqual(some: readonly number[] | undefined, others: readonly number[] | undefined): boolean {
  return some === others || some?.every((number, i) => number === others?.[i]) === true;
}
