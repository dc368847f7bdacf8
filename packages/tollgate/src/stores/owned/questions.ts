import { TollgateError } from "../../core/errors.ts";
import type { Report } from "../../core/report.ts";
import type { Call } from "../../core/store.ts";
import { VERBS } from "../../core/verbs.ts";
import { UnavailableError } from "../remote/unavailable-error.ts";
import { type AppliedVerb, decodeReport, encodeVerb } from "./codec.ts";
import {
  type Failure,
  type Operation,
  type OwnerAnswer,
  type OwnerRequest,
  type ReportWords,
  type Result,
  VERSION,
  type VerbWords,
} from "./messages.ts";
import type { OwnedSpace } from "./owned-space.ts";

/** A call that waits for the answer of its owner. */
export interface Question {
  /** Its keys, each in its space. An operation on a whole space has none there. */
  readonly calls: readonly Pick<Call<OwnedSpace>, "space" | "key">[];
  readonly givesBack: boolean;
  /** The call, for the owner of this number. */
  encode(owner: number): VerbWords | Operation;
  answered(result: OwnerAnswer["results"][number], answer: OwnerAnswer): void;
  failed(error: UnavailableError): void;
}

/** A verb for keys of an owner. */
export interface SpaceVerb extends AppliedVerb {
  readonly calls: readonly Call<OwnedSpace>[];
  /** The moment by the asker's clock. */
  readonly nowUs: number;
}

/** Decides a verb that its owner does not decide, or throws. */
export type DecideWithout = (error: UnavailableError, call: SpaceVerb) => Report;

/** A promise of what a question is answered. */
abstract class Asking<T> {
  readonly answer: Promise<T>;
  protected resolve!: (value: T) => void;
  protected reject!: (error: unknown) => void;

  constructor() {
    this.answer = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}

/** A verb that waits for its report. */
export class Applying extends Asking<Report> implements Question {
  readonly #call: SpaceVerb;
  readonly #without: DecideWithout;

  constructor(call: SpaceVerb, without: DecideWithout) {
    super();
    this.#call = call;
    this.#without = without;
  }

  get calls(): SpaceVerb["calls"] {
    return this.#call.calls;
  }

  get givesBack(): boolean {
    return VERBS[this.#call.verb].refunds;
  }

  encode(owner: number): VerbWords {
    return encodeVerb(this.#call, owner);
  }

  answered(result: OwnerAnswer["results"][number], answer: OwnerAnswer): void {
    const failure = failureIn(result);
    if (failure === undefined) this.resolve(decodeReport(result as ReportWords, answer, this.#call.toldUs));
    else if (failure.error[0] !== "ERR_STORE") this.reject(errorOf(failure));
    else this.failed(new UnavailableError(failure.error[1], "command"));
  }

  failed(error: UnavailableError): void {
    try {
      this.resolve(this.#without(error, this.#call));
    } catch (thrown) {
      this.reject(thrown);
    }
  }
}

/** An administrative call that waits for its result. No failure policy applies to it. */
export class Administering extends Asking<Result> implements Question {
  readonly calls: Question["calls"];
  readonly givesBack = false;
  readonly #operation: Operation;

  constructor(space: OwnedSpace, operation: Operation) {
    super();
    this.calls = [{ space, key: operation[3] ?? "" }];
    this.#operation = operation;
  }

  encode(): Operation {
    return this.#operation;
  }

  answered(result: OwnerAnswer["results"][number]): void {
    const failure = failureIn(result);
    if (failure === undefined) this.resolve(result as Result);
    else this.reject(errorOf(failure));
  }

  failed(error: UnavailableError): void {
    this.reject(error);
  }
}

/** A message with these calls. */
export function requestOf(client: string, questions: readonly Question[], owner: number): OwnerRequest {
  const plans = new Map<number, string>();
  for (const { calls } of questions) for (const { space } of calls) plans.set(space.number, space.text);
  return { version: VERSION, client, plans: [...plans], calls: questions.map((question) => question.encode(owner)) };
}

/** Gives each call its answer. */
export function answerAll(questions: readonly Question[], answer: OwnerAnswer): void {
  for (let i = 0; i < questions.length; i += 1) questions[i]!.answered(answer.results[i]!, answer);
  if (answer.moves.length === 0) return;
  const spaces = questions.flatMap(({ calls }) => calls.map(({ space }) => space));
  for (const [number, ...move] of answer.moves) spaces.find((space) => space.number === number)?.moved(...move);
}

function failureIn(result: OwnerAnswer["results"][number]): Failure | undefined {
  return typeof result === "object" && result !== null && !Array.isArray(result) ? (result as Failure) : undefined;
}

function errorOf({ error }: Failure): TollgateError {
  return new TollgateError(...error);
}
