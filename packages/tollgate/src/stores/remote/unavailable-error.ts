import { type LostCall, OVERLOAD } from "../../core/lost-call.ts";

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
export class UnavailableError extends Error implements LostCall {
  override readonly name = "UnavailableError";
  /** The `degraded` of decisions without the server: short, without addresses or secrets. */
  readonly reason: string;
  readonly kind: UnavailableKind;
  readonly mayHaveRun: boolean;

  constructor(
    reason: string,
    kind: UnavailableKind = "server",
    cause?: unknown,
    mayHaveRun: boolean = kind === "server",
  ) {
    super(reason, { cause });
    this.reason = reason;
    this.kind = kind;
    this.mayHaveRun = mayHaveRun;
  }
}

// Created once: a flood would throw many, and each would capture a stack.
export const TIMED_OUT: UnavailableError = new UnavailableError("timed out");
export const CONNECTION_LOST: UnavailableError = new UnavailableError("connection lost");
/** It had to wait too long before it was sent. */
export const NOT_SENT: UnavailableError = new UnavailableError("timed out", "server", undefined, false);
export const CIRCUIT_OPEN: UnavailableError = new UnavailableError("circuit open", "server", undefined, false);
export const OVERLOADED: UnavailableError = new UnavailableError(OVERLOAD, "overload");
export const BYPASSED: UnavailableError = new UnavailableError("bypassed", "server", undefined, false);

/** The failure of a part of a call: the other parts may have been carried out. */
export function asPart(error: unknown): unknown {
  if (!(error instanceof UnavailableError) || error.mayHaveRun) return error;
  return new UnavailableError(error.reason, error.kind, error.cause, true);
}

/** In a few words, without addresses and secrets. */
export function causeOf(error: unknown): string {
  return error instanceof UnavailableError ? error.reason : "the server refused the call";
}
