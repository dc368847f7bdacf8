import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import bench from "../bench/package.json" with { type: "json" };
import server from "../packages/server/package.json" with { type: "json" };
import library from "../packages/tollgate/package.json" with { type: "json" };
import { plantWorkspace, REPOSITORY } from "./support/planted-workspace.ts";
import { type Run, runNode } from "./support/run.ts";
import { remove } from "./support/temporary-folder.ts";

const LIBRARY = "packages/tollgate";
const SERVER = "packages/server";

const importsOf = (names: object) => Object.keys(names).map((name) => `import "${name}";\n`);

const FILES = {
  [`${LIBRARY}/src/index.ts`]: 'export { used } from "./core/used.ts";\n',
  [`${LIBRARY}/src/stores/table/index.ts`]: 'export { used as table } from "../../core/used.ts";\n',
  [`${LIBRARY}/src/adapters/node/node.ts`]: 'export { used as node } from "../../core/used.ts";\n',
  [`${LIBRARY}/src/testing/index.ts`]: 'export { used as testing } from "../core/used.ts";\n',
  [`${LIBRARY}/src/core/used.ts`]: `${importsOf(library.dependencies).join("")}import "not-declared";
export const used = 1;
export const unused = 2;
`,
  [`${LIBRARY}/src/core/unused.ts`]: "export const a = 1;\n",
  [`${LIBRARY}/test/a.test.ts`]: 'import { a } from "./support/used.ts";\nimport "tollgate";\na();\n',
  [`${LIBRARY}/test/support/used.ts`]: "export const a = () => 1;\n",
  [`${LIBRARY}/test/support/unused.ts`]: "export const a = () => 1;\n",
  [`${SERVER}/bin/tollgate.js`]: 'import "../dist/cli.js";\n',
  [`${SERVER}/src/cli.ts`]: `${importsOf(server.dependencies).join("")}import { used } from "tollgate";
console.log(used);
`,
  [`${SERVER}/src/unused.ts`]: "export const a = 1;\n",
  "bench/speed.ts": `${importsOf(bench.dependencies).join("")}import { a } from "./lib/used.ts";\na();\n`,
  "bench/lib/used.ts": "export const a = () => 1;\n",
  "bench/lib/unused.ts": "export const a = () => 1;\n",
  "tools/unused.ts": "export const a = 1;\n",
};

interface Named {
  readonly name: string;
}

interface KnipReport {
  readonly issues: readonly {
    readonly file: string;
    readonly files: readonly Named[];
    readonly exports: readonly Named[];
    readonly unlisted: readonly Named[];
    readonly dependencies: readonly Named[];
  }[];
}

describe("knip in this repository", () => {
  let root: string;
  let run: Run;
  let report: KnipReport;
  beforeAll(async () => {
    root = plantWorkspace(FILES);
    const knip = join(REPOSITORY, "node_modules/knip/bin/knip.js");
    run = await runNode(root, [knip, "--reporter=json"]);
    report = JSON.parse(run.stdout) as KnipReport;
  });
  afterAll(() => remove(root));

  it("exits with 1 after it has found unused code", () => {
    expect(run).toMatchObject({ status: 1, stderr: "" });
  });

  it.each([
    ["files", Object.keys(FILES).filter((file) => file.endsWith("/unused.ts"))],
    ["exports", ["unused"]],
    ["unlisted", ["not-declared"]],
    ["dependencies", []],
  ] as const)("reports what is unused or undeclared among %s", (kind, names) => {
    expect(report.issues.flatMap((issue) => issue[kind].map(({ name }) => name)).sort()).toEqual([...names].sort());
  });
});
