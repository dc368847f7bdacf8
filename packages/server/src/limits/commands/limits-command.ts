import { UsageError } from "../../command/usage-error.ts";
import { checkFiles } from "./check-files.ts";
import { explainRequest } from "./explain-request.ts";
import type { Output } from "./output.ts";
import { readRequestFlags } from "./request-flags.ts";
import { CHECK_USAGE, EXPLAIN_USAGE } from "./usage.ts";

/**
 * Runs `tollgate check` and `tollgate explain`.
 *
 * @returns the exit code: 1 if a file is wrong. `undefined` for another command.
 * @throws UsageError for wrong arguments.
 */
export function runLimitsCommand(args: readonly string[], output: Output): 0 | 1 | undefined {
  const [command, ...others] = args;
  switch (command) {
    case "check": {
      const flag = others.find((other) => other.startsWith("-"));
      if (flag !== undefined) throw new UsageError(`check: expected files, got ${JSON.stringify(flag)}`);
      if (others.length === 0) throw new UsageError(`check: expected a file, got none; usage: ${CHECK_USAGE}`);
      return checkFiles(others, output);
    }
    case "explain":
      return explainRequest(readRequestFlags(others, EXPLAIN_USAGE), output);
    default:
      return undefined;
  }
}
