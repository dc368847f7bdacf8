import type { Reporter, TestModule } from "vitest/node";

/** Ends the run with one plain line that scripts can read. A file that could not be loaded counts as one failure. */
export class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      for (const test of tests) {
        const { state } = test.result();
        counts[state === "pending" ? "failed" : state] += 1;
      }
      if (module.errors().length > 0) counts.failed += 1;
    }
    process.on("exit", () => {
      process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
    });
  }
}
