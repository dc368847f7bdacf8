/**
 * Why a call is decided without the server:
 *
 * - `"server"`: it could not be asked, or did not answer in time. What was sent may have landed, and is not sent again.
 * - `"command"`: it answered that it may not do this, for example that it has no memory for a new key. It is there for other calls.
 * - `"overload"`: more calls wait than may. The server was not asked. Such a call is denied, whatever the failure policy.
 */
export type OutageKind = "server" | "command" | "overload";

/** The server did not decide. */
export class Outage extends Error {
  override readonly name = "Outage";
  /** For decisions that were made without the server: short, without addresses or secrets. */
  readonly reason: string;
  readonly kind: OutageKind;

  constructor(reason: string, kind: OutageKind = "server", cause?: unknown) {
    super(reason, { cause });
    this.reason = reason;
    this.kind = kind;
  }
}

// Made once: a flood would make many, and each would note where it was made.
export const TIMED_OUT: Outage = new Outage("timed out");
export const CIRCUIT_OPEN: Outage = new Outage("circuit open");
export const OVERLOADED: Outage = new Outage("overloaded", "overload");
export const BYPASSED: Outage = new Outage("bypassed");
