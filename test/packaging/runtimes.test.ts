import { describe, expect, it } from "vitest";
import { ENVIRONMENT, programOf } from "../runtimes/runtime.ts";
import { run } from "../support/run.ts";
import { folderOfFile } from "../support/temporary-folder.ts";
import { plantInstalled } from "./installed-project.ts";
import { read, runningAll, toCommonJs } from "./projects.ts";

/** The samples that need no framework. */
const SAMPLES = ["index", "redis", "table", "testing", "node", "fetch"];

const RUNTIMES: readonly (readonly [name: string, command: () => readonly [string, ...string[]]])[] = [
  ["this Node", () => [process.execPath]],
  ["Node 22", () => [programOf("@node-22", "bin/node")]],
  ["Node 24", () => [programOf("@node-24", "bin/node")]],
  ["Bun", () => [programOf("@oven", "bin/bun"), "run", "--no-install"]],
  ["Deno", () => [programOf("@deno", "deno"), "run", "-A", "--no-remote", "--node-modules-dir=manual"]],
];

/** A program can load the package in both ways: it then has two copies. */
const BOTH_COPIES = `import assert from "node:assert/strict";
import { createRequire } from "node:module";
import * as esm from "tollgate";
const commonJs = createRequire(import.meta.url)("tollgate");
assert.notEqual(esm.createLimiter, commonJs.createLimiter);
assert.throws(() => commonJs.perMinute(-1), (error) => error instanceof esm.TollgateError);
assert.throws(() => esm.perMinute(-1), (error) => error instanceof commonJs.TollgateError);
const one = esm.createLimiter({ name: "one", limits: [commonJs.perMinute(2)] });
const other = commonJs.createLimiter({ name: "other", limits: [esm.perMinute(1)], store: esm.memoryStore() });
const both = esm.combine(one, other);
assert.deepEqual([both.allow("ann"), both.allow("ann"), one.allow("ann")], [true, false, true]);
`;

const root = folderOfFile();
const files: Record<string, string> = {
  "both.mjs": BOTH_COPIES,
  "all.mjs": runningAll(SAMPLES, "mjs"),
  "all.cjs": runningAll(SAMPLES, "cjs"),
};
for (const sample of SAMPLES) {
  const source = read(`test/packaging/samples/${sample}.ts`);
  files[`${sample}.mjs`] = source;
  files[`${sample}.cjs`] = toCommonJs(source);
}
await plantInstalled(root, files);

describe.each(RUNTIMES)("the installed package in %s", (_name, command) => {
  it.each(["both.mjs", "all.mjs", "all.cjs"])("runs without a warning: %s", async (file) => {
    const [program, ...parameters] = command();
    const { status, stdout, stderr } = await run(program, [...parameters, file], { cwd: root, env: ENVIRONMENT });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
  });
});
