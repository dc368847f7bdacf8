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

/** The `ERR_STORE` of a call that no policy decides. */
export function lostError({ reason, mayHaveRun, cause }: LostCall, whom = "store: the server"): TollgateError {
  if (!mayHaveRun) return new TollgateError("ERR_STORE", `${whom} could not be asked: ${reason}`, { cause });
  const message = `${whom} did not answer: ${reason}; it may have carried out the call`;
  return new TollgateError("ERR_STORE", message, { cause, mayHaveRun: true });
}
