import { closeSync, openSync, writeFileSync } from "node:fs";
import type { Output } from "../limits/commands/output.ts";
import { fails } from "./fail-if.ts";
import { LogError } from "./log-error.ts";
import type { LogHead } from "./log-file.ts";
import { printable } from "./printable.ts";
import { type ReplayOptions, replay } from "./replay.ts";
import { type ReplayFlags, readReplayFlags } from "./replay-flags.ts";
import { htmlOf } from "./report/html-report.ts";
import { jsonOf, linesOf, timeOf } from "./result-text.ts";
import { ShowProgress } from "./show-progress.ts";

/**
 * Runs `tollgate replay`.
 *
 * @returns the exit code: 1 if the condition of `--fail-if` holds, or a file is wrong.
 * @throws UsageError for wrong arguments.
 */
export async function runReplayCommand(args: readonly string[], output: Output): Promise<0 | 1> {
  const flags = readReplayFlags(args);
  const limits = await limitsOf(flags, output);
  if (limits === "wrong") return 1;
  const progress = new ShowProgress();
  const { html, failIf } = flags;
  try {
    // A path that cannot be written fails now, and not after the whole log.
    if (html !== undefined) closeSync(openSync(html, "a"));
    const result = await replay({
      ...flags,
      limits,
      isFitted: flags.share !== undefined || html !== undefined,
      onProgress: (state) => progress.show(state),
      onHead: (file, head) => describeHead(file, head, output),
    }).finally(() => progress.end());
    if (html !== undefined) writeFileSync(html, htmlOf(result, flags.files));
    if (flags.json) output.print(jsonOf(result));
    else for (const line of linesOf(result)) output.print(line);
    const denied = result.judgement?.denied;
    if (failIf === undefined || denied === undefined || !fails(failIf, denied, result)) return 0;
    output.printError(`tollgate: --fail-if ${failIf.text} holds`);
    return 1;
  } catch (error) {
    output.printError(`tollgate: ${reasonOf(error, html)}`);
    return 1;
  }
}

/** @throws what is no mistake in files. */
function reasonOf(error: unknown, html: string | undefined): string {
  const { code, path, message, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof LogError) return message;
  if (path !== undefined)
    return `${path}: expected a file that can be ${path === html ? "written" : "read"}, got ${code}`;
  if (syscall === "read") return `expected a file that can be read, got ${code}`;
  // What gunzip says of a file that is cut or no gzip.
  if (code?.startsWith("Z_") === true) return `expected a whole gzip file: ${message}`;
  throw error;
}

async function limitsOf(flags: ReplayFlags, output: Output): Promise<ReplayOptions["limits"] | "wrong"> {
  if (flags.limits === undefined) return undefined;
  // It loads YAML, which takes a tenth of a second.
  const { domainOf, readLimitsFile } = await import("../limits/commands/read-limits-file.ts");
  const read = readLimitsFile(flags.limits, output);
  if (read === undefined) return "wrong";
  const { withoutInflight } = await import("../limits/without-inflight.ts");
  const { file, rules } = withoutInflight(read);
  if (rules.length > 0)
    output.printError(`inflight of ${rules.join(", ")} is left out: a log does not tell what runs at once`);
  return { file, domain: domainOf(file, flags.domain) };
}

/** To the error output, so that what pipes read has the result only. */
function describeHead(file: string, { format, samples }: LogHead, { printError }: Output): void {
  printError(`${file}: ${format.name}`);
  for (const { timeUs, address, method, path } of samples) {
    printError(`  ${timeOf(timeUs)} ${printable(address)} ${printable(`${method} ${path}`)}`);
  }
}
