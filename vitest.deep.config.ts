import { defineConfig } from "vitest/config";
import { FiguresReporter } from "./packages/tollgate/test/floods/kit/figures-reporter.ts";
import { CountReporter } from "./tools/count-reporter.ts";
import { DEEP_TESTS, resolve } from "./vitest.config.ts";

/** Tests that flood servers, one after another: each needs the whole machine. The servers run the built package. */
export default defineConfig({
  resolve,
  test: {
    include: [DEEP_TESTS],
    reporters: ["verbose", new FiguresReporter(), new CountReporter()],
    testTimeout: 60_000,
    hookTimeout: 30_000,
    fileParallelism: false,
    execArgv: ["--expose-gc"],
  },
});
