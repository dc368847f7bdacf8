import { TollgateError } from "./errors.ts";

/** A call that a store elsewhere did not answer. */
export interface LostCall {
  /** In a few words, without addresses or secrets. */
  readonly reason: string;
  /** Whether the server may have carried it out all the same. Otherwise nothing was sent, or the server rejected it. */
  readonly mayHaveRun: boolean;
  /** The client's error, if there is one. */
  readonly cause?: unknown;
}

/** The `reason` of a call that was not sent because too many wait. It is denied under every failure policy. */
export const OVERLOAD = "overloaded";

/** The retry hint of calls that a store elsewhere did not decide. */
export const RETRY_HINT_US = 1_000_000;

/** The `ERR_STORE` of a call that no policy decides. */
export function lostError(lost: LostCall, whom = "store: the server"): TollgateError {
  const { reason, mayHaveRun, cause = reason === OVERLOAD ? lost : undefined } = lost;
  if (!mayHaveRun) return new TollgateError("ERR_STORE", `${whom} could not be asked: ${reason}`, { cause });
  const message = `${whom} did not answer: ${reason}; it may have carried out the call`;
  return new TollgateError("ERR_STORE", message, { cause, mayHaveRun: true });
}

/** The call that was not sent because too many wait, if that is what the error of an administrative call says. */
export function overloadOf(error: unknown): LostCall | undefined {
  const cause = error instanceof TollgateError ? (error.cause as LostCall | undefined) : undefined;
  return cause?.reason === OVERLOAD ? cause : undefined;
}
