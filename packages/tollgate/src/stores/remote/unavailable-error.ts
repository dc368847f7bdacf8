import { TollgateError } from "../../core/errors.ts";

/**
 * Why a call is decided without the server:
 *
 * - `"server"`: the server is unavailable, or did not reply in time. The call may have been executed, and is not sent
 *   again.
 * - `"command"`: the server rejected this command, for example because it has no memory for a new key. It serves other
 *   calls.
 * - `"overload"`: too many calls are pending. The call was not sent, and is denied under every failure policy.
 */
export type UnavailableKind = "server" | "command" | "overload";

/** The server did not decide. */
export class UnavailableError extends Error {
  override readonly name = "UnavailableError";
  /** The `degraded` of decisions without the server: short, without addresses or secrets. */
  readonly reason: string;
  readonly kind: UnavailableKind;

  constructor(reason: string, kind: UnavailableKind = "server", cause?: unknown) {
    super(reason, { cause });
    this.reason = reason;
    this.kind = kind;
  }
}

// Created once: a flood would throw many, and each would capture a stack.
export const TIMED_OUT: UnavailableError = new UnavailableError("timed out");
export const CONNECTION_LOST: UnavailableError = new UnavailableError("connection lost");
export const CIRCUIT_OPEN: UnavailableError = new UnavailableError("circuit open");
export const OVERLOADED: UnavailableError = new UnavailableError("overloaded", "overload");
export const BYPASSED: UnavailableError = new UnavailableError("bypassed");

/** In a few words, without addresses and secrets. */
export function causeOf(error: unknown): string {
  return error instanceof UnavailableError ? error.reason : "the server refused the call";
}

/** The `ERR_STORE` of a call that no policy decides. Its cause is the client's error, if the client had one. */
export function serverUnavailable({ reason, cause }: UnavailableError, whom = "store: the server"): TollgateError {
  return new TollgateError("ERR_STORE", `${whom} could not be asked: ${reason}`, { cause });
}
