import { closeSync, openSync, writeFileSync } from "node:fs";
import type { LimitsFile, RuleWords } from "tollgate/config";
import { UsageError } from "../command/usage-error.ts";
import type { Output } from "../limits/commands/output.ts";
import { readLimitsFile } from "../limits/commands/read-limits-file.ts";
import { fails } from "./fail-if.ts";
import { LogError } from "./log-error.ts";
import type { LogHead } from "./log-file.ts";
import { printable } from "./printable.ts";
import { type ReplayOptions, replay } from "./replay.ts";
import { type ReplayFlags, readReplayFlags } from "./replay-flags.ts";
import { htmlOf } from "./report/html-report.ts";
import { jsonOf, linesOf } from "./result-text.ts";
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
  const { html } = flags;
  try {
    // A path that cannot be written fails now, and not after the whole log.
    if (html !== undefined) closeSync(openSync(html, "a"));
    const result = await replay({
      ...flags,
      limits,
      isFitted: flags.share !== undefined || html !== undefined,
      onProgress: (state) => progress.show(state),
      onHead: (file, head) => describeHead(file, head, output),
    });
    progress.end();
    if (html !== undefined) writeFileSync(html, htmlOf(result, flags.files));
    if (flags.json) output.print(jsonOf(result));
    else for (const line of linesOf(result)) output.print(line);
    const { failIf } = flags;
    const denied = result.judgement?.denied;
    if (failIf === undefined || denied === undefined || !fails(failIf, denied, result)) return 0;
    output.printError(`tollgate: --fail-if ${failIf.text} holds`);
    return 1;
  } catch (error) {
    progress.end();
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
  for (const { timeUs, address, details } of samples) {
    const { method, path } = details();
    printError(`  ${new Date(timeUs / 1_000).toISOString()} ${printable(address)} ${printable(`${method} ${path}`)}`);
  }
}

/** The file without `inflight`: a log does not tell how many requests were running. Also the rules that had it. */
function withoutInflight(file: LimitsFile): { readonly file: LimitsFile; readonly rules: readonly string[] } {
  const rules: string[] = [];
  const domains = mapValues(file.domains, (domain, words) => ({
    ...words,
    limits: mapValues(words.limits, (rule, { inflight, ...others }): RuleWords => {
      if (inflight === undefined) return others;
      rules.push(`${domain}/${rule}`);
      return LIMITS.some((word) => word in others) ? others : { ...others, limit: "unlimited" };
    }),
  }));
  return { file: { ...file, domains }, rules };
}

const LIMITS = ["rate", "within", "quota", "limit"];

function mapValues<From, To>(record: Readonly<Record<string, From>>, map: (name: string, value: From) => To) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(name, value)]));
}
