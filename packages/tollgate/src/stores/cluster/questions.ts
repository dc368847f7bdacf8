import { TollgateError } from "../../core/errors.ts";
import type { Report } from "../../core/report.ts";
import type { Call } from "../../core/store.ts";
import type { UnavailableError } from "../remote/unavailable-error.ts";
import type { ClusterSpace } from "./cluster-space.ts";
import { decodeReport, readFigures } from "./encode.ts";
import { type Answer, FIGURES, type Operation, type ReportWords, type Result } from "./messages.ts";
import type { Question } from "./primary-link.ts";

/** A caller, and what decides for it while the primary does not answer, which may throw. */
export interface Caller<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
  readonly without: (error: UnavailableError) => T;
}

/** A call, and what its caller gets of the result. */
export interface Asked<T> extends Pick<Question, "spaces" | "length" | "givesBack">, Pick<Caller<T>, "without"> {
  readonly operation: (primary: number) => Operation;
  readonly read: (result: Result, answer: Answer) => T;
}

/** A call that waits, with its caller. */
export class Asking<T> implements Question {
  readonly spaces: readonly ClusterSpace[];
  readonly length: number;
  readonly givesBack: boolean;
  readonly #asked: Asked<T>;
  readonly #caller: Caller<T>;

  constructor(asked: Asked<T>, caller: Caller<T>) {
    this.spaces = asked.spaces;
    this.length = asked.length;
    this.givesBack = asked.givesBack;
    this.#asked = asked;
    this.#caller = caller;
  }

  write(words: unknown[], primary: number): void {
    words.push(this.#asked.operation(primary));
  }

  read(answer: Answer, at: number): number {
    answerCaller(this.#caller, () => this.#asked.read(checkResult(answer.words[at]), answer));
    return at + 1;
  }

  failed(error: UnavailableError): void {
    answerCaller(this.#caller, () => this.#caller.without(error));
  }
}

/** A take from one key that waits. */
export class Taking implements Question {
  readonly givesBack = false;
  readonly spaces: readonly ClusterSpace[];
  readonly #call: Call<ClusterSpace>;
  readonly #caller: Caller<Report>;

  constructor(call: Call<ClusterSpace>, caller: Caller<Report>) {
    this.spaces = call.space.alone;
    this.#call = call;
    this.#caller = caller;
  }

  get length(): number {
    return this.#call.key.length;
  }

  write(words: unknown[]): void {
    const { space, key, costs } = this.#call;
    words.push(space.number, key);
    for (const cost of costs) words.push(cost);
  }

  read(answer: Answer, at: number): number {
    const { words, nowUs, primary } = answer;
    const count = this.#call.costs.length;
    if (typeof words[at] === "number" || words[at] === null) {
      this.#caller.resolve(readFigures(answer, at, count));
      return at + (words[at] === null ? 3 + FIGURES * count : 1 + 2 * count);
    }
    answerCaller(this.#caller, () => decodeReport(checkResult(words[at]) as ReportWords, nowUs, primary));
    return at + 1;
  }

  failed(error: UnavailableError): void {
    answerCaller(this.#caller, () => this.#caller.without(error));
  }
}

function answerCaller<T>({ resolve, reject }: Caller<T>, make: () => T): void {
  try {
    resolve(make());
  } catch (error) {
    reject(error);
  }
}

/** @throws TollgateError for the failure of a call. */
function checkResult(word: unknown): Result {
  const result = word as Result;
  if (typeof result !== "object" || result === null || !("error" in result)) return result;
  throw new TollgateError(...result.error);
}
