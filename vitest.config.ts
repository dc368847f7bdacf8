import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";
import { CountReporter } from "./tools/count-reporter.ts";

// The tests use the library by its public names, from its source. TOLLGATE_SRC points them at another copy of it.
const source = process.env["TOLLGATE_SRC"] ?? fileURLToPath(new URL("packages/tollgate/src", import.meta.url));

export const resolve = {
  alias: [
    { find: /^tollgate$/, replacement: `${source}/index.ts` },
    { find: /^tollgate\/testing$/, replacement: `${source}/testing/index.ts` },
    { find: /^tollgate\/(redis|shared|table)$/, replacement: `${source}/stores/$1/index.ts` },
    { find: /^tollgate\/(express|fastify|fetch|hono|koa|node)$/, replacement: `${source}/adapters/$1.ts` },
  ],
};

/** They run by themselves: vitest.deep.config.ts. */
export const DEEP_TESTS = "packages/tollgate/test/floods/**/*.test.ts";

export default defineConfig({
  resolve,
  test: {
    include: ["packages/*/test/**/*.test.ts", "bench/test/**/*.test.ts", "test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, DEEP_TESTS],
    reporters: ["default", new CountReporter()],
    testTimeout: 30_000,
    execArgv: ["--expose-gc"],
  },
});
