import { configDefaults, defineConfig } from "vitest/config";
import { filesWithOwnProcess } from "./tools/own-process.ts";
import { ALL_TESTS, DEEP_TESTS, resolve, settingsOf } from "./tools/test-tiers.ts";

const exclude = [...configDefaults.exclude, ...DEEP_TESTS];
const ownProcess = filesWithOwnProcess();

/** The quick tier, `npm test`: it needs npm packages and nothing else. vitest.deep.config.ts has the other tests. */
export default defineConfig({
  resolve,
  test: {
    ...settingsOf({ fileSeconds: 20, timeoutMs: 120_000 }),
    projects: [
      { extends: true, test: { name: "own process", include: ownProcess, exclude } },
      {
        extends: true,
        // Several files run in one process, which spares their start and most of their imports.
        test: { name: "shared process", include: ALL_TESTS, exclude: [...exclude, ...ownProcess], isolate: false },
      },
    ],
  },
});
