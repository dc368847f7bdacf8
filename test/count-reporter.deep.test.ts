import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REPOSITORY } from "./support/planted-workspace.ts";
import { runNode } from "./support/run.ts";
import { plant, remove, temporaryFolder } from "./support/temporary-folder.ts";

const FAIL = 'throw new Error("planted");';

/** Test files, each with the closing line, what is named before it, and the exit code of a run of this file alone. */
const CASES = [
  {
    name: "tests that pass",
    source: 'test("a", () => {}); describe("group", () => test("b", () => {}));',
    line: "2 passed, 0 failed, 0 skipped",
    status: 0,
  },
  {
    name: "skipped tests, which do not fail the run",
    source: `test("a", () => {}); test.skip("b", () => { ${FAIL} }); test.todo("c"); test("d", (here) => here.skip());`,
    line: "1 passed, 0 failed, 3 skipped",
    status: 0,
  },
  {
    name: "a test that fails",
    source: `test("a", () => {}); test("b", () => { ${FAIL} }); test.skip("c", () => {});`,
    failed: "FILE > b",
    line: "1 passed, 1 failed, 1 skipped",
    status: 1,
  },
  {
    name: "a file whose import is missing",
    source: 'import "./missing.js"; test("a", () => {});',
    failed: "FILE",
    line: "0 passed, 1 failed, 0 skipped",
    status: 1,
  },
  {
    name: "a file that does not parse",
    source: 'test("a", () => {',
    failed: "FILE",
    line: "0 passed, 1 failed, 0 skipped",
    status: 1,
  },
  {
    name: "a file without tests",
    source: "export {};",
    failed: "FILE",
    line: "0 passed, 1 failed, 0 skipped",
    status: 1,
  },
  {
    name: "a hook of the file that fails",
    source: `beforeAll(() => { ${FAIL} }); test("a", () => {});`,
    failed: "FILE",
    line: "0 passed, 1 failed, 1 skipped",
    status: 1,
  },
  {
    name: "a hook of a group that fails",
    source: `describe("group", () => { afterAll(() => { ${FAIL} }); test("a", () => {}); });`,
    failed: "FILE > group",
    line: "1 passed, 1 failed, 0 skipped",
    status: 1,
  },
  {
    name: "an uncaught error",
    source: 'test("a", () => { Promise.reject(new Error("planted")); });',
    failed: "uncaught: planted",
    line: "1 passed, 1 failed, 0 skipped",
    status: 1,
  },
];

describe("the closing line of a test run", () => {
  let root: string;
  beforeAll(() => {
    root = temporaryFolder();
    const reporter = JSON.stringify(join(REPOSITORY, "tools/count-reporter.ts"));
    plant(root, {
      "vitest.config.mjs": `import { CountReporter } from ${reporter};
        export default { test: { globals: true, include: ["*.test.mjs"], reporters: [new CountReporter(), "default"] } };`,
    });
  });
  afterAll(() => remove(root));

  it.each(CASES.map((planted, index) => ({ ...planted, index })))("counts $name", async (planted) => {
    const file = `planted-${planted.index}.test.mjs`;
    plant(root, { [file]: planted.source });
    const vitest = join(REPOSITORY, "node_modules/vitest/vitest.mjs");
    // The run inherits nothing from the environment of this one.
    const { status, stdout } = await runNode(root, [vitest, "run", file], { PATH: process.env["PATH"] });
    const lines = stdout.trimEnd().split("\n");
    expect({ line: lines.at(-1), status }).toEqual({ line: planted.line, status: planted.status });
    if (planted.failed !== undefined) expect(lines.at(-2)).toBe(`failed: ${planted.failed.replace("FILE", file)}`);
  });
});
