import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { biomeFindings, type Finding, plantWorkspace, REPOSITORY } from "./support/planted-workspace.ts";
import { type Run, runNode } from "./support/run.ts";
import { remove } from "./support/temporary-folder.ts";

const MODULES = join(REPOSITORY, "node_modules");
const LIBRARY = "packages/tollgate/src";

interface Planted {
  readonly file: string;
  readonly source: string;
  /** The rules that it violates. */
  readonly rules: readonly string[];
}

const READS_DATE = "export const a = () => Date.now();\n";
const READS_PROCESS = "export const a = () => process.pid;\n";
const WRITES_LOG = 'export const a = () => console.log("a");\n';
const HAS_DEFAULT = "export default 1;\n";

const FOR_BIOME: readonly Planted[] = [
  {
    file: `${LIBRARY}/core/any.ts`,
    source: "export const a = (b: any): string => b;\n",
    rules: ["suspicious/noExplicitAny"],
  },
  { file: `${LIBRARY}/core/log.ts`, source: WRITES_LOG, rules: ["suspicious/noConsole"] },
  { file: "packages/server/src/log.ts", source: WRITES_LOG, rules: [] },
  { file: `${LIBRARY}/core/default.ts`, source: HAS_DEFAULT, rules: ["style/noDefaultExport"] },
  { file: "vitest.config.ts", source: HAS_DEFAULT, rules: [] },
  { file: `${LIBRARY}/core/assertion.ts`, source: "export const a = (b?: string): string => b!;\n", rules: ["plugin"] },
  {
    file: `${LIBRARY}/core/called.ts`,
    source: "export const a = (b: string[]): string => b.at(0)!;\n",
    rules: ["plugin"],
  },
  {
    file: `${LIBRARY}/core/index-assertion.ts`,
    source: "export const a = (b: string[]): string => b[0]!;\n",
    rules: [],
  },
  { file: `${LIBRARY}/core/time.ts`, source: READS_DATE, rules: ["style/noRestrictedGlobals"] },
  { file: `${LIBRARY}/stores/shared/time.ts`, source: READS_DATE, rules: ["style/noRestrictedGlobals"] },
  { file: `${LIBRARY}/core/clock.ts`, source: READS_DATE, rules: [] },
  { file: `${LIBRARY}/limiter/process.ts`, source: READS_PROCESS, rules: ["style/noRestrictedGlobals"] },
  { file: `${LIBRARY}/adapters/web/hono.ts`, source: READS_PROCESS, rules: ["style/noRestrictedGlobals"] },
  { file: `${LIBRARY}/adapters/node/node.ts`, source: READS_PROCESS, rules: [] },
  {
    file: `${LIBRARY}/stores/redis/package.ts`,
    source: 'export type { A } from "not-declared";\n',
    rules: ["correctness/noUndeclaredDependencies"],
  },
  { file: `${LIBRARY}/core/require.ts`, source: 'export const a = require("./a.ts");\n', rules: ["style/noCommonJs"] },
  {
    file: `${LIBRARY}/core/template.ts`,
    source: "export const a = import(`../limiter/a.ts`);\n",
    rules: ["style/noUnusedTemplateLiteral"],
  },
  { file: `${LIBRARY}/core/all.ts`, source: 'export * from "./a.ts";\n', rules: ["performance/noReExportAll"] },
  { file: "test/skipped.test.ts", source: 'it.skip("a", () => {});\n', rules: ["suspicious/noSkippedTests"] },
  { file: "test/only.test.ts", source: 'it.only("a", () => {});\n', rules: ["suspicious/noFocusedTests"] },
];

const PROMISE = "declare const later: Promise<number>;\n";

const FOR_OXLINT: readonly Planted[] = [
  {
    file: `${LIBRARY}/core/fine.ts`,
    source: `${PROMISE}export const a = async (): Promise<number> => (await later) + 1;\n`,
    rules: [],
  },
  {
    file: `${LIBRARY}/core/floating.ts`,
    source: `${PROMISE}export function a(): void {\n  later.then(String);\n}\n`,
    rules: ["typescript(no-floating-promises)"],
  },
  {
    file: `${LIBRARY}/core/misused.ts`,
    source: `${PROMISE}export const a = (): number => (later ? 1 : 2);\n`,
    rules: ["typescript(no-misused-promises)", "typescript(strict-boolean-expressions)"],
  },
  {
    file: `${LIBRARY}/core/thenable.ts`,
    source: "export async function a(b: number): Promise<number> {\n  const c = await b;\n  return c;\n}\n",
    rules: ["typescript(await-thenable)"],
  },
  {
    file: `${LIBRARY}/core/switch.ts`,
    source: 'export function a(b: "c" | "d"): void {\n  switch (b) {\n    case "c":\n      break;\n  }\n}\n',
    rules: ["typescript(switch-exhaustiveness-check)"],
  },
  {
    file: `${LIBRARY}/core/assertion.ts`,
    source: "export const a = (b: number): number => b as number;\n",
    rules: ["typescript(no-unnecessary-type-assertion)"],
  },
  {
    file: `${LIBRARY}/core/number.ts`,
    source: "export const a = (b: number): string => (b ? 'c' : 'd');\n",
    rules: ["typescript(strict-boolean-expressions)"],
  },
  {
    file: `${LIBRARY}/core/parsed.ts`,
    source: "export const a = (): string => JSON.parse('1');\n",
    rules: ["typescript(no-unsafe-return)"],
  },
  {
    file: `${LIBRARY}/core/import-type.ts`,
    source: 'export const a = (b: import("./fine.ts").A): string => String(b);\n',
    rules: ["typescript(consistent-type-imports)"],
  },
];

function names(planted: readonly Planted[]): readonly string[] {
  return planted.map(({ file }) => file);
}

function sources(planted: readonly Planted[]): Readonly<Record<string, string>> {
  return Object.fromEntries(planted.map(({ file, source }) => [file, source]));
}

describe("biome in this repository", () => {
  let root: string;
  let findings: readonly Finding[];
  beforeAll(async () => {
    root = plantWorkspace(sources(FOR_BIOME));
    findings = await biomeFindings(root);
  });
  afterAll(() => remove(root));

  it.each(FOR_BIOME)("reports exactly the rules that a planted file violates: $file", ({ file, rules }) => {
    const found = findings.filter(({ path }) => path === file).map(({ rule }) => rule.replace("lint/", ""));
    expect(found).toEqual(rules);
  });

  it("reports nothing about other files", () => {
    expect(findings.filter(({ path }) => !names(FOR_BIOME).includes(path))).toEqual([]);
  });
});

interface OxlintReport {
  readonly diagnostics: readonly { readonly filename: string; readonly code: string }[];
}

/** Runs oxlint without the programs that npm puts on the path, which include this repository's tsgolint. */
function oxlint(root: string): Promise<Run> {
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  const args = [join(MODULES, "oxlint/bin/oxlint"), "--type-aware", "--deny-warnings", "--format=json"];
  return runNode(root, args, { ...process.env, PATH: path.join(delimiter) });
}

/** Links tsgolint to where oxlint looks for it, and links the types that the packages' settings name. */
function linkTypeLinter(root: string, target: string): void {
  mkdirSync(join(root, "node_modules/.bin"), { recursive: true });
  symlinkSync(target, join(root, "node_modules/.bin/tsgolint"));
  symlinkSync(join(MODULES, "@types"), join(root, "node_modules/@types"));
}

const TYPESCRIPT = '{ "extends": "./tsconfig.base.json", "compilerOptions": { "noEmit": true } }';

describe("oxlint in this repository", () => {
  let root: string;
  let run: Run;
  let report: OxlintReport;
  beforeAll(async () => {
    root = plantWorkspace({ ...sources(FOR_OXLINT), "tsconfig.json": TYPESCRIPT });
    linkTypeLinter(root, join(MODULES, "oxlint-tsgolint/bin/tsgolint.js"));
    run = await oxlint(root);
    report = JSON.parse(run.stdout) as OxlintReport;
  });
  afterAll(() => remove(root));

  it("exits with 1 after it has found violations", () => {
    expect(run.status).toBe(1);
  });

  it.each(FOR_OXLINT)("reports exactly the rules that a planted file violates: $file", ({ file, rules }) => {
    expect(report.diagnostics.filter(({ filename }) => filename === file).map(({ code }) => code)).toEqual(rules);
  });

  it("reports nothing about other files", () => {
    expect(report.diagnostics.filter(({ filename }) => !names(FOR_OXLINT).includes(filename))).toEqual([]);
  });
});

describe("a linter", () => {
  let root: string;
  beforeEach(() => {
    root = plantWorkspace({ "fine.ts": "export const a = 1;\n", "tsconfig.json": TYPESCRIPT });
  });
  afterEach(() => remove(root));

  /** Copies a package without the one that has its program for this platform. */
  function copyModule(name: string): void {
    cpSync(join(MODULES, name), join(root, "node_modules", name), { recursive: true });
  }

  it("succeeds in a good workspace if it is installed completely: oxlint and tsgolint", async () => {
    linkTypeLinter(root, join(MODULES, "oxlint-tsgolint/bin/tsgolint.js"));
    expect((await oxlint(root)).status).toBe(0);
  });

  it("fails if a part is missing: oxlint without tsgolint", async () => {
    expect((await oxlint(root)).status).toBe(1);
  });

  it("fails if its program for this platform is missing: tsgolint", async () => {
    copyModule("oxlint-tsgolint");
    linkTypeLinter(root, "../oxlint-tsgolint/bin/tsgolint.js");
    expect((await oxlint(root)).status).toBe(1);
  });

  it("fails if its program for this platform is missing: oxlint", async () => {
    copyModule("oxlint");
    expect((await runNode(root, ["node_modules/oxlint/bin/oxlint"])).status).toBe(1);
  });

  it("fails if its program for this platform is missing: biome", async () => {
    copyModule("@biomejs/biome");
    expect((await runNode(root, ["node_modules/@biomejs/biome/bin/biome", "lint"])).status).toBe(1);
  });
});
