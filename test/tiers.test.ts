import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { HONO_PROCESS, OWN_PROCESS, TEST_FILES } from "../tools/own-process.ts";
import { ALL_TESTS, DEEP_TESTS, matches } from "../tools/test-tiers.ts";
import { REPOSITORY } from "./support/planted-workspace.ts";

/** Modules that start Redis, another runtime or a service that needs curl. */
const NEEDS_PROGRAMS = /from "[./\w-]*(servers\/start-[\w-]+|runtimes\/runtime)\.ts"/;

/** Whether a file imports a package, itself or by other files. */
function imports(file: string, name: string, seen: Set<string>): boolean {
  if (seen.has(file) || !existsSync(file)) return false;
  seen.add(file);
  const targets = [...readFileSync(file, "utf8").matchAll(/(?:from|import) ?\(?"([^"\n]+)"/g)].map(([, to]) => to!);
  return targets.some((to) => to === name || (to.startsWith(".") && imports(join(dirname(file), to), name, seen)));
}

describe("the two tiers of tests", () => {
  it("have every test file between them", () => {
    expect(TEST_FILES.length).toBeGreaterThan(100);
    expect(TEST_FILES.filter((file) => !matches(file, ALL_TESTS))).toEqual([]);
    const deepFiles = TEST_FILES.filter((file) => matches(file, DEEP_TESTS));
    expect(deepFiles).toContain("packages/tollgate/test/stores/redis/contract.test.ts");
    expect(deepFiles).not.toContain("test/tiers.test.ts");
  });

  it("keep tests that start other programs out of the quick one", () => {
    const quickFiles = TEST_FILES.filter((file) => !matches(file, DEEP_TESTS));
    const starting = quickFiles.filter((file) => NEEDS_PROGRAMS.test(readFileSync(join(REPOSITORY, file), "utf8")));
    expect(starting).toEqual([]);
  });

  it("keep each quick file that replaces the global `Response` by its imports apart from others", () => {
    const apart = new Set([...HONO_PROCESS, ...OWN_PROCESS]);
    const quickFiles = TEST_FILES.filter((file) => !matches(file, DEEP_TESTS));
    const replacing = quickFiles.filter((file) => imports(join(REPOSITORY, file), "@hono/node-server", new Set()));
    expect(replacing).toContain("packages/tollgate/test/adapters/web/hono-headers.test.ts");
    expect(replacing.filter((file) => !apart.has(file))).toEqual([]);
  });
});
