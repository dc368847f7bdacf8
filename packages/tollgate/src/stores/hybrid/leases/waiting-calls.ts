import type { Report } from "../../../core/report.ts";

/** A call that waits for the server's answer. */
export interface WaitingCall {
  readonly costs: readonly number[];
  /** The limiter's time. */
  readonly nowUs: number;
  /** `later` calls of the same cost were admitted after it by the same answer. */
  admitted(later: number): void;
  denied(report: Report): void;
  failed(error: unknown): void;
}

/** The calls of one key that wait, in their order. */
export class WaitingCalls {
  #calls: WaitingCall[] = [];
  #first = 0;

  get count(): number {
    return this.#calls.length - this.#first;
  }

  get first(): WaitingCall | undefined {
    return this.#calls[this.#first];
  }

  add(call: WaitingCall): void {
    this.#calls.push(call);
  }

  removeFirst(): void {
    this.#first += 1;
    if (this.#first < this.#calls.length) return;
    this.#calls = [];
    this.#first = 0;
  }

  takeAll(): readonly WaitingCall[] {
    const all = this.#calls.slice(this.#first);
    this.#calls = [];
    this.#first = 0;
    return all;
  }

  /** Removes the first calls that cost the same. */
  takeRun(): readonly WaitingCall[] {
    const run: WaitingCall[] = [];
    for (let call = this.first; call !== undefined && areAlike(call, run[0] ?? call); call = this.first) {
      run.push(call);
      this.removeFirst();
    }
    return run;
  }
}

function areAlike({ costs: some }: WaitingCall, { costs: others }: WaitingCall): boolean {
  if (some === others) return true;
  for (let i = 0; i < some.length; i += 1) if (some[i] !== others[i]) return false;
  return true;
}
