import { appendFileSync } from "node:fs";
import type { SerializedError } from "vitest";
import type { Reporter, TestModule } from "vitest/node";

/** A change that breaks everything need not list everything. */
const MOST_NAMES = 50;

/**
 * Ends the run with the names of what failed, and one line that scripts can read. Each fault outside a test counts as
 * one failure: a file that does not load, a hook around several tests, an uncaught error. If TOLLGATE_COUNTS names a
 * file, the three numbers are appended to it, and the names to the file of that name with `.failed`, for a script that
 * adds up several runs.
 */
export class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    const failed: string[] = unhandledErrors.map(({ message }) => `uncaught: ${message.split("\n")[0]}`);
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        counts[state === "pending" ? "failed" : state] += 1;
        if (state === "failed" || state === "pending") failed.push(`${module.relativeModuleId} > ${test.fullName}`);
      }
      for (const group of [module, ...module.children.allSuites()]) {
        if (group.errors().length === 0) continue;
        counts.failed += 1;
        failed.push(
          group.type === "suite" ? `${module.relativeModuleId} > ${group.fullName}` : module.relativeModuleId,
        );
      }
    }
    const names = failed.slice(0, MOST_NAMES).map((name) => `failed: ${name}\n`);
    const file = process.env["TOLLGATE_COUNTS"];
    if (file !== undefined) {
      appendFileSync(file, `${counts.passed} ${counts.failed} ${counts.skipped}\n`);
      appendFileSync(`${file}.failed`, names.join(""));
    }
    process.on("exit", () => {
      const { passed, skipped } = counts;
      process.stdout.write(`\n${names.join("")}${passed} passed, ${counts.failed} failed, ${skipped} skipped\n`);
    });
  }
}
