/** The command line is not what was expected. The message says so on one line. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
