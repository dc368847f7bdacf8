import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";
import library from "./packages/tollgate/package.json" with { type: "json" };
import { CountReporter } from "./tools/count-reporter.ts";

// The tests use the library by its public names, from its source. TOLLGATE_SRC points them at another copy of it.
const source = process.env["TOLLGATE_SRC"] ?? fileURLToPath(new URL("packages/tollgate/src", import.meta.url));

// The entries are those of the package's `exports`.
const aliases = Object.entries(library.exports).flatMap(([entry, target]) => {
  if (typeof target === "string") return [];
  const name = entry.replace(/^\./, "tollgate");
  const replacement = target.default.replace(/^\.\/dist\/(.+)\.js$/, `${source}/$1.ts`);
  return [{ find: new RegExp(`^${name}$`), replacement }];
});

export const resolve = { alias: aliases };

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
