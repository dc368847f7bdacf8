import { configDefaults, defineConfig } from "vitest/config";
import { ALL_TESTS, DEEP_TESTS, resolve, settingsOf } from "./tools/test-tiers.ts";

/** The quick tier, `npm test`: it needs npm packages and nothing else. vitest.deep.config.ts has the other tests. */
export default defineConfig({
  resolve,
  test: {
    ...settingsOf({ fileSeconds: 20, timeoutMs: 120_000 }),
    include: ALL_TESTS,
    exclude: [...configDefaults.exclude, ...DEEP_TESTS],
  },
});
