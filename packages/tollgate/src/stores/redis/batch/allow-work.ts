import type { TransactionOutcome } from "../script/decode-reply.ts";
import type { CallEnd } from "./call-end.ts";
import type { KeyCall, Work } from "./work.ts";

/**
 * Calls for one key and cost in a row, of which only the answer is wanted: as many are admitted as the server says, the first
 * ones.
 */
export class AllowWork implements Work {
  readonly verb = "take";
  readonly detail = "first-denied";
  readonly keys: readonly [KeyCall];
  readonly nowUs: number;
  readonly #end: CallEnd;
  readonly #changes: number;
  readonly #waiting: ((admitted: boolean | Promise<boolean>) => void)[] = [];

  constructor(call: KeyCall, nowUs: number, end: CallEnd) {
    this.keys = [call];
    this.nowUs = nowUs;
    this.#end = end;
    this.#changes = end.changes;
  }

  get times(): number {
    return this.#waiting.length;
  }

  takes({ space, costs }: KeyCall): boolean {
    const [own] = this.keys;
    return own.space === space && (own.costs === costs || own.costs.every((cost, i) => cost === costs[i]));
  }

  join(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  done({ admitted, reports: [denial] }: TransactionOutcome, decidedUs: number): void {
    if (admitted > 0) this.#end.admitted(this.keys[0]);
    if (denial !== undefined) this.#end.denied(this.keys[0], denial, decidedUs, this.#changes);
    const waiting = this.#waiting;
    for (let i = 0; i < waiting.length; i += 1) waiting[i]!(i < admitted);
  }

  failed(error: unknown): void {
    for (const resolve of this.#waiting) resolve(this.#decideWithout(error));
  }

  async #decideWithout(error: unknown): Promise<boolean> {
    return this.#end.decideWithout(error, this.keys[0], this.nowUs);
  }
}
