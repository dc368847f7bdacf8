/** The command line is not what was expected; the message says so on one line. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
