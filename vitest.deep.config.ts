import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { ALONE, BOTH_TIERS, DEEP_TESTS, REDIS, resolve, settingsOf } from "./tools/test-tiers.ts";

const settings = settingsOf({ fileSeconds: 90, timeoutMs: 240_000 });
/** One more than there are cores: while one file waits for a server or a browser, another uses its core. */
const maxWorkers = availableParallelism() + 1;

/** The deep tier, `npm run test:deep`: most files, then those of Redis, then those that need the machine alone. */
export default defineConfig({
  resolve,
  test: {
    ...settings,
    projects: [
      {
        extends: true,
        test: {
          name: "parallel",
          include: [...DEEP_TESTS, ...BOTH_TIERS],
          env: { TOLLGATE_DEEP: "1" },
          exclude: [...configDefaults.exclude, ...ALONE, REDIS],
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "redis",
          include: [REDIS],
          isolate: false,
          maxWorkers,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: "alone", include: ALONE, fileParallelism: false, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
