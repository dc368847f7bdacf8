import { configDefaults, defineConfig } from "vitest/config";
import { FiguresReporter } from "./packages/tollgate/test/floods/kit/figures-reporter.ts";
import { DEEP_TESTS, FLOODS, resolve, settingsOf } from "./tools/test-tiers.ts";

const settings = settingsOf({ fileSeconds: 90, timeoutMs: 240_000 });

/** The deep tier, `npm run test:deep`: files in parallel first, then the floods one after another. */
export default defineConfig({
  resolve,
  test: {
    ...settings,
    reporters: [new FiguresReporter(), ...(settings.reporters as [])],
    projects: [
      {
        extends: true,
        test: {
          name: "parallel",
          include: DEEP_TESTS,
          exclude: [...configDefaults.exclude, FLOODS],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: "floods", include: [FLOODS], fileParallelism: false, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
