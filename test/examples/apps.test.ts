import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import library from "../../packages/tollgate/package.json" with { type: "json" };
import { REPOSITORY } from "./code-blocks.ts";
import installed from "./installed/package.json" with { type: "json" };

const EXAMPLES = readdirSync(join(REPOSITORY, "examples")).filter((name) => !name.includes("."));

describe("the example applications", () => {
  it("are eight", () => {
    const names = ["bullmq-worker", "crawler", "express-login", "fastify-plans"];
    expect(EXAMPLES).toEqual([...names, "limits-file", "llm-gateway", "mcp-server", "worker-threads"]);
  });

  it.each(EXAMPLES)("declares what it imports, at the pinned versions: %s", (name) => {
    const folder = join(REPOSITORY, "examples", name);
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as typeof installed;
    const pinned: Record<string, string> = { ...installed.dependencies, tollgate: library.version };
    for (const [dependency, version] of Object.entries(manifest.dependencies)) {
      expect({ [dependency]: version }).toEqual({ [dependency]: pinned[dependency] });
    }
    const sources = readdirSync(join(folder, "src")).map((file) => readFileSync(join(folder, "src", file), "utf8"));
    const imported = sources.flatMap((source) => [...source.matchAll(/ from "((?:@[\w-]+\/)?[\w-]+)/g)]);
    const packages = imported.map(([, found]) => String(found)).filter((found) => found !== "node");
    expect([...new Set(packages)].sort()).toEqual(Object.keys(manifest.dependencies).sort());
  });
});
