import type { Report } from "../../../core/report.ts";
import type { MovedKey, TransactionOutcome } from "../script/decode-reply.ts";
import type { LeaseAsk } from "../script/lease.ts";
import { SCRIPT_VERBS, type ScriptVerbRow } from "../script/script-verbs.ts";
import { stepsOf } from "../script/steps.ts";
import type { KeptReceipt, ScriptBlock, ScriptTransaction, ScriptVerb } from "../script/transaction.ts";
import type { AskOptions, KeyCall } from "./key-call.ts";
import type { KeyLine, LinedUp } from "./key-line.ts";
import { answer, answerWithout, type LeaseWaiter, type Waiter } from "./waiter.ts";

/** Remembers denials. It is told of the server's decisions in the order in which the server made them. */
export interface DenialMemory {
  /** Forgets a denial, because a call of the same key was admitted, or may have given units back. */
  forget(call: KeyCall): void;
  /** `nowUs` is not later than the decision. */
  note(call: KeyCall, report: Report, nowUs: number): void;
}

interface WorkParts {
  readonly verb: ScriptVerb;
  readonly keys: readonly KeyCall[];
  readonly lines: readonly KeyLine<Work>[];
  /** The first call. */
  readonly waiter: Waiter | LeaseWaiter;
  readonly nowUs: number;
  /** When the first call was made, in the time of `Deadline`. */
  readonly sinceMs: number;
  readonly memory: DenialMemory;
  /** No call joins a call with options. */
  readonly options: AskOptions | undefined;
}

/** No call joins work of so many steps: so a script call is short, and other keys come between. */
const MOST_STEPS = 1_000;

/** Calls that the server decides as one transaction: one call, or identical takes or reads for one key. */
export class Work implements ScriptTransaction, LinedUp {
  readonly verb: ScriptVerb;
  readonly keys: readonly KeyCall[];
  /** The lines of its keys. */
  readonly lines: readonly KeyLine<Work>[];
  /** When the first call was made, in the time of `Deadline`. */
  readonly sinceMs: number;
  /** A reset drops what the calls before it took, so it waits for their answers. */
  readonly comesLast: boolean;
  /** Whether it is the next in the lines of all its keys, and waits to be sent. */
  isReady = false;
  /** The moment of the newest call. */
  nowUs: number;
  detail: "each" | "first-denied";
  /** How many calls wait for it. */
  calls = 1;
  /** How often the server does it. What changes nothing is done once for all calls. */
  times = 1;
  /** How much work it is for the server. */
  steps: number;
  readonly takenUs: number | undefined;
  readonly block: ScriptBlock | undefined;
  readonly lease: LeaseAsk | undefined;
  readonly receipt: KeptReceipt | undefined;
  readonly #traits: ScriptVerbRow;
  readonly #memory: DenialMemory;
  readonly #corrections: number;
  readonly #waiters: (Waiter | LeaseWaiter)[];
  readonly #isJoinable: boolean;

  constructor({ verb, keys, lines, waiter, nowUs, sinceMs, memory, options }: WorkParts) {
    this.verb = verb;
    this.keys = keys;
    this.lines = lines;
    this.sinceMs = sinceMs;
    this.#traits = SCRIPT_VERBS[verb];
    const { changes, decides, forgets } = this.#traits;
    this.comesLast = forgets;
    this.takenUs = options?.takenUs;
    this.block = options?.block;
    this.lease = options?.lease;
    this.receipt = options?.receipt;
    this.nowUs = nowUs;
    // Nearly all work has one call. A list that grows has room for 16 more.
    this.#waiters = [waiter];
    this.detail = waiter.wantsReport ? "each" : "first-denied";
    this.#memory = memory;
    if (this.#traits.settles) this.#noteCorrection();
    this.#corrections = lines[0]!.corrections;
    this.steps = stepsOf(this);
    // After a call that begins a block the next one is denied by it, so calls of such a plan are not alike.
    const isAlone = keys.length !== 1 || options !== undefined || keys[0]!.plan.blocksKeys;
    this.#isJoinable = !isAlone && (decides || !changes);
  }

  /** Whether a call is identical and may join. */
  canJoin(verb: ScriptVerb, { space, costs }: KeyCall): boolean {
    if (!this.#isJoinable || verb !== this.verb || this.steps >= MOST_STEPS) return false;
    const own = this.keys[0]!;
    return own.space === space && costs.every((cost, i) => cost === own.costs[i]);
  }

  join(waiter: Waiter | LeaseWaiter, nowUs: number): void {
    this.#waiters.push(waiter);
    this.calls += 1;
    if (this.#traits.changes) this.times += 1;
    this.nowUs = nowUs;
    if (waiter.wantsReport) this.detail = "each";
    this.steps = stepsOf(this);
  }

  /** Answers all calls. */
  done(outcome: TransactionOutcome): void {
    const { admitted, reports, grant } = outcome;
    this.#remember(outcome);
    const { changes } = this.#traits;
    for (let i = 0; i < this.calls; i += 1) {
      const waiter = this.#waiters[i]!;
      const isAdmitted = changes ? i < admitted : admitted > 0;
      // A caller that wants no report may have none.
      if ("resolve" in waiter) answer(waiter, isAdmitted, reports[Math.min(i, reports.length - 1)]);
      else if (grant !== undefined) waiter.granted(admitted, reports[0]!, grant);
    }
  }

  failed(error: unknown): void {
    if (this.#traits.settles) this.#noteCorrection();
    for (const waiter of this.#waiters) answerWithout(waiter, error);
  }

  /** Notifies the observers of the limiters whose keys moved. */
  notifyMoves(moved: readonly MovedKey[]): void {
    for (const { key, from } of moved) {
      const { space, key: name } = this.keys[key]!;
      space.context.onMove?.(name, from, space.plan.limits);
    }
  }

  /** Runs synchronously, before the callers resume: memory must follow the order of the server's decisions. */
  #remember({ admitted, reports }: TransactionOutcome): void {
    if (this.#traits.settles) this.#noteCorrection();
    const { decides, changes } = this.#traits;
    if (!(decides && changes)) return;
    if (admitted > 0) for (const call of this.keys) this.#memory.forget(call);
    const denial = admitted < this.times && this.keys.length === 1 ? reports.at(-1) : undefined;
    if (denial !== undefined && this.lines[0]!.corrections === this.#corrections) {
      this.#memory.note(this.keys[0]!, denial, this.nowUs);
    }
  }

  /** A correction that failed may have been carried out, too. */
  #noteCorrection(): void {
    for (const call of this.keys) this.#memory.forget(call);
    for (const line of this.lines) line.corrections += 1;
  }
}
