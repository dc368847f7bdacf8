import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import library from "../../packages/tollgate/package.json" with { type: "json" };
import { REPOSITORY } from "./code-blocks.ts";
import installed from "./installed/package.json" with { type: "json" };

/** Peers of Nest, which imports them itself. */
const OF_NEST = ["rxjs"];
const EXAMPLES = readdirSync(join(REPOSITORY, "examples")).filter((name) => !name.includes("."));

describe("the example applications", () => {
  it("are nine", () => {
    const names = ["bullmq-worker", "crawler", "express-login", "fastify-plans"];
    expect(EXAMPLES).toEqual([...names, "limits-file", "llm-gateway", "mcp-server", "nestjs", "worker-threads"]);
  });

  it.each(EXAMPLES)("declares what it imports, at the pinned versions: %s", (name) => {
    const folder = join(REPOSITORY, "examples", name);
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as typeof installed;
    const pinned: Record<string, string> = {
      ...library.devDependencies,
      ...installed.dependencies,
      tollgate: library.version,
    };
    for (const [dependency, version] of Object.entries(manifest.dependencies)) {
      expect({ [dependency]: version }).toEqual({ [dependency]: pinned[dependency] });
    }
    const sources = readdirSync(join(folder, "src")).map((file) => readFileSync(join(folder, "src", file), "utf8"));
    const imported = sources.flatMap((source) => [...source.matchAll(/(?: from|^import) "((?:@[\w-]+\/)?[\w-]+)/gm)]);
    const packages = imported.map(([, found]) => String(found)).filter((found) => found !== "node");
    const needed = Object.keys(manifest.dependencies).filter((dependency) => !OF_NEST.includes(dependency));
    expect([...new Set(packages)].sort()).toEqual(needed.sort());
  });
});
