import type { Decision } from "../core/decision.ts";
import { show, TollgateError } from "../core/errors.ts";
import type { AsyncLimiter, Limiter } from "../limiter/limiter.ts";
import type { HttpAnswer } from "./answer.ts";
import { denialAnswer } from "./denial.ts";

/** What becomes of a request: the handler's turn, or an answer in its place. */
export type Verdict =
  | { readonly pass: true; readonly decision: Decision }
  | { readonly pass: false; readonly decision: Decision; readonly answer: HttpAnswer };

/** Decides over requests at once. */
export interface SyncGate<Input> {
  readonly kind: "sync";
  check(input: Input): Verdict;
}

/** Decides over requests, asking a store elsewhere. */
export interface AsyncGate<Input> {
  readonly kind: "async";
  check(input: Input): Promise<Verdict>;
}

export type Gate<Input> = SyncGate<Input> | AsyncGate<Input>;

/**
 * The one path that every adapter takes: limiter in, verdict out. What the limiter throws passes through.
 *
 * @throws TollgateError `ERR_OPTION` when the limiter is none.
 */
export function openGate<Input>(limiter: Limiter<Input> | AsyncLimiter<Input>): Gate<Input> {
  switch (limiter?.kind) {
    case "sync":
      return { kind: "sync", check: (input) => verdictOn(limiter.consume(input)) };
    case "async":
      return { kind: "async", check: async (input) => verdictOn(await limiter.consume(input)) };
    default:
      throw new TollgateError(
        "ERR_OPTION",
        `limiter: expected one made by createLimiter or combine, got ${show(limiter)}`,
      );
  }
}

function verdictOn(decision: Decision): Verdict {
  return decision.allowed ? { pass: true, decision } : { pass: false, decision, answer: denialAnswer(decision) };
}
