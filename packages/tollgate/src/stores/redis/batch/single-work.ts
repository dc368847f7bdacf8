import type { TransactionOutcome } from "../script/decode-reply.ts";
import type { ScriptVerb } from "../script/encode-call.ts";
import type { AskOptions } from "../several-slots.ts";
import type { CallEnd } from "./call-end.ts";
import type { KeyCall, Work } from "./work.ts";

/** A transaction that stands alone, and of which everything is wanted. */
export class SingleWork implements Work {
  readonly verb: ScriptVerb;
  readonly times = 1;
  readonly detail = "each";
  readonly nowUs: number;
  readonly tellsTime: boolean;
  readonly takenUs: number | undefined;
  readonly keys: readonly KeyCall[];
  readonly outcome: Promise<TransactionOutcome>;
  readonly #end: CallEnd | undefined;
  readonly #changes: number;
  #resolve: (outcome: TransactionOutcome) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor(
    verb: ScriptVerb,
    keys: readonly KeyCall[],
    nowUs: number,
    end?: CallEnd,
    { tellsTime = false, takenUs }: AskOptions = {},
  ) {
    this.verb = verb;
    this.nowUs = nowUs;
    this.tellsTime = tellsTime;
    this.takenUs = takenUs;
    this.keys = keys;
    this.#end = end;
    this.#changes = end?.changes ?? 0;
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  done(outcome: TransactionOutcome, decidedUs: number): void {
    // Here, not when its caller goes on: what the server decided later must not be heard of before.
    if (this.verb === "take") this.#tell(outcome, decidedUs);
    this.#resolve(outcome);
  }

  failed(error: unknown): void {
    this.#reject(error);
  }

  #tell({ admitted, reports: [report] }: TransactionOutcome, decidedUs: number): void {
    const [first, second] = this.keys;
    if (admitted > 0) {
      for (const call of this.keys) this.#end?.admitted(call);
    } else if (first !== undefined && second === undefined && report !== undefined) {
      this.#end?.denied(first, report, decidedUs, this.#changes);
    }
  }
}
