import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { HONO_PROCESS, OWN_PROCESS } from "./tools/own-process.ts";
import { ALONE, BOTH_TIERS, DEEP_TESTS, matches, REDIS, resolve, settingsOf } from "./tools/test-tiers.ts";

const settings = settingsOf({ fileSeconds: 90, timeoutMs: 240_000 });
/** One more than there are cores: while one file waits for a server or a browser, another uses its core. */
const maxWorkers = availableParallelism() + 1;
const DEEP = [...DEEP_TESTS, ...BOTH_TIERS];
const exclude = [...configDefaults.exclude, ...ALONE, REDIS];
/** What needs a process of its own has one. The other files share processes, which spares their start and imports. */
const apart = [...OWN_PROCESS, ...HONO_PROCESS];
const parallel = { env: { TOLLGATE_DEEP: "1" }, maxWorkers, sequence: { groupOrder: 0 } };

/** The deep tier, `npm run test:deep`: most files, then those of Redis, then those that need the machine alone. */
export default defineConfig({
  resolve,
  test: {
    ...settings,
    projects: [
      {
        extends: true,
        test: {
          ...parallel,
          name: "own process",
          include: apart.filter((file) => matches(file, DEEP)),
          exclude,
        },
      },
      {
        extends: true,
        test: { ...parallel, name: "parallel", include: DEEP, exclude: [...exclude, ...apart], isolate: false },
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
        test: { name: "alone", include: ALONE, isolate: false, fileParallelism: false, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
