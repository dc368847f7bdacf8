import { configDefaults, defineConfig } from "vitest/config";
import { ALL_TESTS, DEEP_TESTS, IN_SHARED_PROCESS, resolve, settingsOf } from "./tools/test-tiers.ts";

const exclude = [...configDefaults.exclude, ...DEEP_TESTS];

/** The quick tier, `npm test`: it needs npm packages and nothing else. vitest.deep.config.ts has the other tests. */
export default defineConfig({
  resolve,
  test: {
    ...settingsOf({ fileSeconds: 20, timeoutMs: 120_000 }),
    projects: [
      {
        extends: true,
        test: {
          name: "own process",
          include: ALL_TESTS,
          exclude: [...exclude, ...IN_SHARED_PROCESS],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "shared process",
          include: IN_SHARED_PROCESS,
          exclude,
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
