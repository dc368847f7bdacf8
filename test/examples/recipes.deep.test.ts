import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ofFile } from "../../packages/tollgate/test/of-file.ts";
import { startRedis } from "../../packages/tollgate/test/stores/redis/servers/start-redis.ts";
import { runNode } from "../support/run.ts";
import { blocksOf, pagesAndSources, promisedOutput } from "./code-blocks.ts";
import { needsPackages } from "./examples.ts";
import { compileProjects, createUserProject } from "./user-project.ts";

const CONFIG = {
  compilerOptions: {
    target: "es2023",
    module: "nodenext",
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    types: ["node"],
    outDir: "dist",
  },
};

/** The examples that the tests of the workspace cannot run, because it lacks their packages. */
const examples = pagesAndSources()
  .flatMap(blocksOf)
  .filter((block) => block.language === "ts" && needsPackages(block))
  .map((block, index) => ({ ...block, name: `example-${index}` }));

const [root, redis] = await Promise.all([createUserProject(), ofFile(startRedis())]);
const project = join(root, "recipes");
mkdirSync(project);
writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
writeFileSync(join(project, "tsconfig.json"), JSON.stringify(CONFIG));
for (const { name, code } of examples) writeFileSync(join(project, `${name}.ts`), `${code}export {};\n`);

describe("examples that need other packages", () => {
  it("are found, and compile strictly with the packed library", async () => {
    expect(examples).not.toEqual([]);
    expect(await compileProjects([join(root, "recipes")])).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  it.each(examples)("print what they say, with the packed library: $place", async ({ name, code }) => {
    const env = { ...process.env, NODE_ENV: "production", REDIS_URL: `redis://127.0.0.1:${redis.port}` };
    const { stdout, stderr, status } = await runNode(join(root, "recipes"), [`dist/${name}.js`], env);
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    expect(stdout.trimEnd().split("\n")).toEqual(promisedOutput(code));
  });
});
