import { UsageError } from "../command/usage-error.ts";
import type { Output } from "../limits/commands/output.ts";
import { readLimitsFile } from "../limits/commands/read-limits-file.ts";
import { fails } from "./fail-if.ts";
import { withoutInflight } from "./limits-run.ts";
import { LogError } from "./log-error.ts";
import type { LogHead } from "./log-file.ts";
import { type ReplayOptions, replay } from "./replay.ts";
import { type ReplayFlags, readReplayFlags } from "./replay-flags.ts";
import { jsonOf, linesOf, printable } from "./result-text.ts";
import { ShowProgress } from "./show-progress.ts";

/**
 * Runs `tollgate replay`.
 *
 * @returns the exit code: 1 if the condition of `--fail-if` holds, or a file is wrong.
 * @throws UsageError for wrong arguments.
 */
export async function runReplayCommand(args: readonly string[], output: Output): Promise<0 | 1> {
  const flags = readReplayFlags(args);
  const limits = limitsOf(flags, output);
  if (limits === "wrong") return 1;
  const progress = new ShowProgress();
  try {
    const result = await replay({
      ...flags,
      limits,
      onProgress: (state) => progress.show(state),
      onHead: (file, head) => describeHead(file, head, output),
    });
    progress.end();
    if (flags.json) output.print(jsonOf(result));
    else for (const line of linesOf(result)) output.print(line);
    const { failIf } = flags;
    const denied = result.judgement?.denied;
    if (failIf === undefined || denied === undefined || !fails(failIf, denied, result)) return 0;
    output.printError(`tollgate: --fail-if ${failIf.text} holds`);
    return 1;
  } catch (error) {
    progress.end();
    const { code, path, message } = error as NodeJS.ErrnoException;
    if (error instanceof LogError) output.printError(`tollgate: ${message}`);
    else if (path !== undefined) output.printError(`tollgate: ${path}: expected a file that can be read, got ${code}`);
    // What gunzip says of a file that is cut or no gzip.
    else if (code?.startsWith("Z_") === true) output.printError(`tollgate: expected a whole gzip file: ${message}`);
    else throw error;
    return 1;
  }
}

function limitsOf({ limits, domain }: ReplayFlags, { printError }: Output): ReplayOptions["limits"] | "wrong" {
  if (limits === undefined) return undefined;
  const read = readLimitsFile(limits);
  if ("lines" in read) {
    for (const line of read.lines) printError(line);
    return "wrong";
  }
  const { file, rules } = withoutInflight(read.limits);
  if (rules.length > 0)
    printError(`inflight of ${rules.join(", ")} is left out: a log does not tell what runs at once`);
  const domains = Object.keys(file.domains);
  const name = domain ?? domains[0] ?? "";
  if (!domains.includes(name)) {
    throw new UsageError(`--domain: expected one of ${domains.join(", ")}, got ${JSON.stringify(name)}`);
  }
  return { file, domain: name };
}

/** To the error output, so that what pipes read has the result only. */
function describeHead(file: string, { format, samples }: LogHead, { printError }: Output): void {
  printError(`${file}: ${format.name}`);
  for (const { timeUs, address, method, path } of samples) {
    printError(`  ${new Date(timeUs / 1_000).toISOString()} ${printable(address)} ${printable(`${method} ${path}`)}`);
  }
}
