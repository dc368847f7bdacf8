import { configDefaults, defineConfig } from "vitest/config";
import { HONO_PROCESS, OWN_PROCESS } from "./tools/own-process.ts";
import { ALL_TESTS, BOTH_TIERS, DEEP_TESTS, resolve, settingsOf } from "./tools/test-tiers.ts";

/** Where the deep tier follows, it tries these five times as often. */
const later = process.env["TOLLGATE_DEEP_FOLLOWS"] === "1" ? BOTH_TIERS : [];
const exclude = [...configDefaults.exclude, ...DEEP_TESTS, ...later];
const others = [...OWN_PROCESS, ...HONO_PROCESS];

/** The quick tier, `npm test`: it needs npm packages and nothing else. vitest.deep.config.ts has the other tests. */
export default defineConfig({
  resolve,
  test: {
    ...settingsOf({ fileSeconds: 20, timeoutMs: 120_000 }),
    projects: [
      { extends: true, test: { name: "own process", include: [...OWN_PROCESS], exclude } },
      { extends: true, test: { name: "hono process", include: [...HONO_PROCESS], exclude, isolate: false } },
      {
        extends: true,
        // Several files run in one process, which spares their start and most of their imports.
        test: { name: "shared process", include: ALL_TESTS, exclude: [...exclude, ...others], isolate: false },
      },
    ],
  },
});
