import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { REPOSITORY } from "../support/planted-workspace.ts";
import { runNode } from "../support/run.ts";
import { folderOfFile } from "../support/temporary-folder.ts";
import { plantInstalled, toolOf } from "./installed-project.ts";
import { link, read } from "./projects.ts";

/** How projects set `module` and `moduleResolution`. In the Node modes one project has both kinds of modules. */
const SETTINGS = {
  node10: { compilerOptions: { module: "commonjs", moduleResolution: "node" }, ends: ["ts"] },
  "node10, deprecated": {
    compilerOptions: { module: "commonjs", moduleResolution: "node", ignoreDeprecations: "6.0" },
    ends: ["ts"],
  },
  node16: { compilerOptions: { module: "node16" }, ends: ["mts", "cts"] },
  nodenext: { compilerOptions: { module: "nodenext" }, ends: ["mts", "cts"] },
  bundler: { compilerOptions: { module: "esnext", moduleResolution: "bundler" }, ends: ["ts"] },
  "nodenext, with the types of Node": { compilerOptions: { module: "nodenext", types: ["node"] }, ends: ["mts"] },
  "commonjs, bundler": { compilerOptions: { module: "commonjs", moduleResolution: "bundler" }, ends: ["ts"] },
} as const;

const OLD = ["node10", "node16", "nodenext", "bundler"] as const;
const COMPILERS: readonly (readonly [version: string, settings: readonly (keyof typeof SETTINGS)[]])[] = [
  ["5.0", [...OLD, "nodenext, with the types of Node"]],
  ["5.4", OLD],
  ["5.9", OLD],
  ["6.0", ["node10, deprecated", "node16", "nodenext", "bundler", "commonjs, bundler"]],
  ["7.0", ["node16", "nodenext", "bundler", "commonjs, bundler"]],
];

const STRICT = {
  target: "es2022",
  lib: ["es2022", "dom"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  skipDefaultLibCheck: true,
  noEmit: true,
  types: [],
};

/** The subpaths whose types need neither Node nor a framework: packaging.test.ts compiles all of them. */
const SUBPATHS = ["tollgate", "tollgate/fetch", "tollgate/redis", "tollgate/shared", "tollgate/table"];

/** If a module did not resolve to types it would be `any`, and no such line would be an error. */
function misuseOf(subpath: string, index: number): string {
  return `import * as m${index} from "${subpath}";\n// @ts-expect-error: no such export\nm${index}.missing;\n`;
}

/** The options that a mistake lacks, and its code. Compilers differ in which part of a type they report. */
const LACKING: Readonly<Record<string, string>> = {
  key: "createLimiter({ limits: (user: { id: string }) => (user.id === '' ? 'deny' : limits) });",
  async: "createLimiter({ limits: (id: string) => (id === '' ? limits : Promise.resolve(limits)) });",
  limits: "createLimiter({ key: (id: string) => id });",
};

function filesOf(): Readonly<Record<string, string>> {
  const misuse = SUBPATHS.map(misuseOf).join("");
  const sources = { types: read("test/packaging/types.ts"), misuse, node: misuseOf("tollgate/node", 0) };
  const files: Record<string, string> = {};
  for (const [option, code] of Object.entries(LACKING)) {
    const prelude = 'import { createLimiter, perMinute } from "tollgate";\nexport const limits = [perMinute(3)];\n';
    files[`lacks-${option}.mts`] = prelude + code;
    files[`lacks-${option}.json`] = JSON.stringify({
      compilerOptions: { ...STRICT, module: "nodenext" },
      files: [`lacks-${option}.mts`],
    });
  }
  for (const [name, source] of Object.entries(sources)) {
    for (const end of ["ts", "mts", "cts"]) files[`${name}.${end}`] = source;
  }
  for (const [name, { compilerOptions, ends }] of Object.entries(SETTINGS)) {
    const names = "types" in compilerOptions ? ["node"] : ["types", "misuse"];
    const sourceFiles = ends.flatMap((end) => names.map((file) => `${file}.${end}`));
    files[`${name}.json`] = JSON.stringify({ compilerOptions: { ...STRICT, ...compilerOptions }, files: sourceFiles });
  }
  return files;
}

function compilerOf(version: string): string {
  return version === "7.0"
    ? join(REPOSITORY, "node_modules/typescript/bin/tsc")
    : toolOf(`typescript-${version}/bin/tsc`);
}

const root = folderOfFile();
await plantInstalled(root, filesOf());
link(root, ["@types/node"]);

/**
 * Builds all projects in one process, which parses the libraries once and tells the projects apart in its output.
 * Returns what the compiler says of each.
 */
async function build(version: string, projects: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const files = projects.map((project) => `${project}.json`);
  const { stdout, stderr } = await runNode(root, [compilerOf(version), "-b", "--force", "--verbose", ...files]);
  if (stderr !== "") throw new Error(`TypeScript ${version} failed: ${stderr}`);
  const [, ...parts] = stdout.split(/^.* - Building project '(?:.*\/)?(.+)\.json'\.\.\.$/m);
  const said = parts.map((part) => part.replace(/^.* - Project '.+' is being forcibly rebuilt$/m, "").trim());
  return new Map(files.map((_, at) => [said[2 * at] ?? "", said[2 * at + 1] ?? ""]));
}

describe.each(COMPILERS)("a strict project in TypeScript %s", (version, settings) => {
  let said: ReadonlyMap<string, string>;
  beforeAll(async () => {
    said = await build(version, [...Object.keys(LACKING).map((option) => `lacks-${option}`), ...settings]);
  });

  it("has the compiler of its version", async () => {
    expect(await runNode(root, [compilerOf(version), "--version"])).toMatchObject({
      stdout: expect.stringMatching(new RegExp(`^Version ${version}\\.`)) as string,
    });
  });

  it.each(Object.keys(LACKING))("names the option %s where it is missing", (option) => {
    expect(said.get(`lacks-${option}`)).toContain(`Property '${option}' is missing`);
  });

  it.each(settings)("compiles with the modules of %s", (setting) => {
    expect(said.get(setting)).toBe("");
  });
});
