import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Copy, ROOT, TESTS } from "./copy.ts";

/** The result of the tests on a copy. A mutant that hangs counts as caught. One that does not load proves nothing. */
export type Verdict = "passes" | "fails" | "hangs" | "does not load";

/** Cases of all properties in a run: enough to catch every mutant many times over. */
const CASES = process.env["TOLLGATE_CASES"] ?? "10000";
const HANGS_AFTER_MS = 180_000;

interface TestReport {
  readonly success: boolean;
  readonly numFailedTests: number;
}

/** Runs the tests on a copy. */
export async function judge({ root, source }: Copy): Promise<Verdict> {
  const reportFile = join(root, "report.json");
  const ended = await runVitest(root, source, reportFile);
  if (!ended) return "hangs";
  const { success, numFailedTests } = JSON.parse(await readFile(reportFile, "utf8")) as TestReport;
  if (success) return "passes";
  return numFailedTests > 0 ? "fails" : "does not load";
}

/** Runs vitest. @returns whether it ended before the timeout. */
function runVitest(root: string, source: string, reportFile: string): Promise<boolean> {
  const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
  const config = join(ROOT, "vitest.config.ts");
  const output = ["--reporter=json", `--outputFile=${reportFile}`];
  const args = ["run", ...TESTS, "--bail=1", "--root", root, "--config", config, ...output];
  const env = { ...process.env, TOLLGATE_SRC: source, TOLLGATE_CASES: CASES, TOLLGATE_SHRINK: "no" };
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [vitest, ...args], { cwd: root, env, stdio: "ignore" });
    const timer = setTimeout(() => child.kill("SIGKILL"), HANGS_AFTER_MS);
    child.once("error", reject);
    child.once("exit", (code) => {
      clearTimeout(timer);
      resolve(code !== null);
    });
  });
}
