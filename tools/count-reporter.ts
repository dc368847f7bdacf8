import type { Reporter, TestModule } from "vitest/node";

/**
 * Ends the run with one plain line that scripts can read. What went wrong outside a test counts as one failure each: a
 * file that does not load, a hook around several tests, an error that nobody caught.
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
    process.on("exit", () => {
      process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
    });
  }
}
