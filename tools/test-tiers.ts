import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import type { ViteUserConfig } from "vitest/config";
import library from "../packages/tollgate/package.json" with { type: "json" };
import { CountReporter } from "./count-reporter.ts";
import { LongestFirst } from "./longest-first.ts";
import { SecondsReporter } from "./seconds-reporter.ts";

// The tests use the library by its public names, from its source. TOLLGATE_SRC points them at another copy of it.
const source = process.env["TOLLGATE_SRC"] ?? fileURLToPath(new URL("../packages/tollgate/src", import.meta.url));

// The entries are those of the package's `exports`.
const aliases = Object.entries(library.exports).flatMap(([entry, target]) => {
  if (typeof target === "string") return [];
  const name = entry.replace(/^\./, "tollgate");
  const replacement = target.import.default.replace(/^\.\/dist\/(.+)\.js$/, `${source}/$1.ts`);
  return [{ find: new RegExp(`^${name}$`), replacement }];
});

export const resolve = { alias: aliases };

export const ALL_TESTS = ["packages/*/test/**/*.test.ts", "bench/test/**/*.test.ts", "test/**/*.test.ts"];

/**
 * Floods, a measured processor time, and programs with a user's deadlines need the whole machine, so these files run
 * one after another.
 */
export const ALONE = [
  "packages/tollgate/test/floods/**/*.test.ts",
  "packages/tollgate/test/dashboard/busy.deep.test.ts",
  "test/site/choose.deep.test.ts",
];

/** Tests that need Redis, another runtime, a network of packages or more than a few seconds. */
export const DEEP_TESTS = [
  "packages/*/test/**/*.deep.test.ts",
  "bench/test/**/*.deep.test.ts",
  "test/**/*.deep.test.ts",
  "packages/tollgate/test/stores/redis/**/*.test.ts",
  "test/packaging/**/*.test.ts",
  "test/runtimes/**/*.test.ts",
  ...ALONE,
];

/** Tests of properties, which the deep tier tries five times as often (`runs.ts`). */
export const BOTH_TIERS = [
  "packages/tollgate/test/properties/*.test.ts",
  "packages/tollgate/test/limiter/block-traces.test.ts",
  "packages/tollgate/test/stores/local/full-peek.test.ts",
  "packages/tollgate/test/stores/local/overflow-flood.test.ts",
];

/** Redis and its clients. These files wait for servers much of the time, and leave their process as they found it. */
export const REDIS = "packages/tollgate/test/stores/redis/**/!(kept-in-memory).test.ts";

/** A pattern with `**` for any folders and `*` for a part of a name. */
export function matches(file: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const regex = pattern.replaceAll(".", "\\.").replace(/\*\*\/|\*/g, (stars) => (stars === "*" ? "[^/]*" : "(.*/)?"));
    return new RegExp(`^${regex}$`).test(file);
  });
}

interface Tier {
  /** A file that takes longer on a quiet machine should be split. */
  readonly fileSeconds: number;
  /** Allows for a machine that is busy with other work. */
  readonly timeoutMs: number;
}

/** What both tiers set alike. */
export function settingsOf({ fileSeconds, timeoutMs }: Tier): NonNullable<ViteUserConfig["test"]> {
  return {
    reporters: ["default", new SecondsReporter(fileSeconds), new CountReporter()],
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
    setupFiles: fileURLToPath(new URL("leave-as-found.ts", import.meta.url)),
    // A second, the default, is too short where other files take both cores.
    expect: { poll: { timeout: 20_000 } },
    // With little room for new objects a tenth of the time goes to collecting them.
    execArgv: ["--expose-gc", "--max-semi-space-size=64"],
    // By default vitest leaves one core to itself: of two, it would use one.
    maxWorkers: availableParallelism(),
    sequence: { sequencer: LongestFirst },
    // Without it each project of a run transforms the library anew.
    experimental: { fsModuleCache: true, fsModuleCachePath: "node_modules/.cache/vitest" },
  };
}
