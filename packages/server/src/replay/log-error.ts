/** What is wrong with the logs that `tollgate replay` got. */
export class LogError extends Error {
  override readonly name = "LogError";
}
