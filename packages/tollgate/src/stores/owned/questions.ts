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
  readonly spaces: readonly OwnedSpace[];
  /** The characters of its keys. */
  readonly length: number;
  readonly givesBack: boolean;
  /** The call, for the owner of this number. */
  encode(owner: number): VerbWords | Operation;
  answered(result: OwnerAnswer["results"][number], answer: OwnerAnswer): void;
  failed(error: UnavailableError): void;
}

/** A verb for keys of an owner. */
export interface SpaceVerb extends AppliedVerb {
  readonly calls: readonly Call<OwnedSpace>[];
}

/** A promise of what a question is answered. */
abstract class Asking<T> {
  readonly answer: Promise<T>;
  #resolve!: (value: T) => void;
  #reject!: (error: unknown) => void;

  constructor() {
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  protected settle(make: () => T): void {
    try {
      this.#resolve(make());
    } catch (error) {
      this.#reject(error);
    }
  }
}

/** A verb that waits for its report. */
export class Applying extends Asking<Report> implements Question {
  readonly #call: SpaceVerb;
  readonly #without: (error: UnavailableError) => Report;

  /** `without` decides if the owner does not, and may throw. */
  constructor(call: SpaceVerb, without: (error: UnavailableError) => Report) {
    super();
    this.#call = call;
    this.#without = without;
  }

  get spaces(): readonly OwnedSpace[] {
    return this.#call.calls.map(({ space }) => space);
  }

  get length(): number {
    return this.#call.calls.reduce((sum, { key }) => sum + key.length, 0);
  }

  get givesBack(): boolean {
    return VERBS[this.#call.verb].refunds;
  }

  encode(owner: number): VerbWords {
    return encodeVerb(this.#call, owner);
  }

  answered(result: OwnerAnswer["results"][number], answer: OwnerAnswer): void {
    const failure = failureIn(result);
    const isUnavailable = failure?.error[0] === "ERR_STORE";
    if (isUnavailable) this.failed(new UnavailableError(failure.error[1], "command"));
    else this.settle(() => decodeReport(checked(result) as ReportWords, answer, this.#call.toldUs));
  }

  failed(error: UnavailableError): void {
    this.settle(() => this.#without(error));
  }
}

/** An administrative call that waits for its result. No failure policy applies to it. */
export class Administering extends Asking<Result> implements Question {
  readonly spaces: readonly OwnedSpace[];
  readonly length = 0;
  readonly givesBack = false;
  readonly #operation: Operation;

  constructor(space: OwnedSpace, operation: Operation) {
    super();
    this.spaces = [space];
    this.#operation = operation;
  }

  encode(): Operation {
    return this.#operation;
  }

  answered(result: OwnerAnswer["results"][number]): void {
    this.settle(() => checked(result) as Result);
  }

  failed(error: UnavailableError): void {
    this.settle(() => {
      throw error;
    });
  }
}

/** A message with these calls. */
export function requestOf(client: string, questions: readonly Question[], owner: number): OwnerRequest {
  const spaces = new Set<OwnedSpace>();
  for (const question of questions) for (const space of question.spaces) spaces.add(space);
  const plans = Array.from(spaces, ({ number, text }) => [number, text] as const);
  return { version: VERSION, client, plans, calls: questions.map((question) => question.encode(owner)) };
}

/** Gives each call its answer. */
export function answerAll(questions: readonly Question[], answer: OwnerAnswer): void {
  for (const [i, question] of questions.entries()) question.answered(answer.results[i]!, answer);
  if (answer.moves.length === 0) return;
  const spaces = questions.flatMap((question) => question.spaces);
  for (const [number, ...move] of answer.moves) spaces.find((space) => space.number === number)?.moved(...move);
}

function failureIn(result: OwnerAnswer["results"][number]): Failure | undefined {
  return typeof result === "object" && result !== null && "error" in result ? result : undefined;
}

/** @throws TollgateError for the failure of a call. */
function checked(result: OwnerAnswer["results"][number]): ReportWords | Result {
  const failure = failureIn(result);
  if (failure !== undefined) throw new TollgateError(...failure.error);
  return result as ReportWords | Result;
}
