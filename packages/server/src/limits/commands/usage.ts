export const CHECK_USAGE = "tollgate check <limits.yaml> …";
export const EXPLAIN_USAGE: string =
  "tollgate explain <limits.yaml> [--domain api] [--request 'GET /'] [--ip 192.0.2.1] " +
  "[--host api] [--header 'x-a: b'] … [--descriptor a=b] …";

/** What `--help` says of these commands. */
export const LIMITS_USAGE: readonly string[] = [CHECK_USAGE, EXPLAIN_USAGE];

/** Says whether an argument is one of these commands, so that others load neither YAML nor the compiler of rules. */
export function isLimitsCommand(argument: string | undefined): boolean {
  return argument === "check" || argument === "explain";
}
