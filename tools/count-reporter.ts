import { appendFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

/**
 * Ends the run with one line that scripts can read. Each fault outside a test counts as one failure: a file that does
 * not load, a hook around several tests, an uncaught error. If TOLLGATE_COUNTS names a file, the three numbers are
 * appended to it, for a script that adds up several runs.
 */
export class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        counts[state === "pending" ? "failed" : state] += 1;
      }
      for (const group of [module, ...module.children.allSuites()]) {
        if (group.errors().length > 0) counts.failed += 1;
      }
    }
    const { passed, failed, skipped } = counts;
    const file = process.env["TOLLGATE_COUNTS"];
    if (file !== undefined) appendFileSync(file, `${passed} ${failed} ${skipped}\n`);
    process.on("exit", () => {
      process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`);
    });
  }
}
