/** The server could not be asked, or not in time. What was sent may have landed, and is not sent again. */
export class Outage extends Error {
  override readonly name = "Outage";
  /** For decisions that were made without the server: short, without addresses or secrets. */
  readonly reason: string;

  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
    this.reason = reason;
  }
}
