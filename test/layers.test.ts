import { readdirSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { biomeFindings, type Finding, plantWorkspace, REPOSITORY } from "./support/planted-workspace.ts";
import { remove } from "./support/temporary-folder.ts";

const SOURCE = "packages/tollgate/src";

/** The folders that each folder may import. It may always import itself. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  algorithms: ["core"],
  "stores/local": ["core", "algorithms"],
  "stores/memory": ["core", "algorithms", "stores/local"],
  "stores/table": ["core", "algorithms", "stores/local", "stores/shared"],
  "stores/shared": ["core", "algorithms", "stores/local"],
  "stores/remote": ["core", "algorithms"],
  "stores/redis": ["core", "algorithms", "stores/remote"],
  "stores/postgres": ["core", "algorithms", "stores/remote", "stores/redis"],
  "stores/hybrid": ["core", "algorithms", "stores/remote", "stores/redis", "stores/memory"],
  "stores/owned": ["core", "algorithms", "stores/remote"],
  "stores/cluster": ["core", "stores/remote", "stores/owned", "stores/memory"],
  "stores/durable-object": ["core", "algorithms", "stores/local", "stores/remote", "stores/redis", "stores/owned"],
  store: ["core", "algorithms", "stores/local"],
  limiter: ["core", "algorithms", "stores/memory"],
  http: ["core", "algorithms", "limiter"],
  "adapters/node": ["core", "http"],
  "adapters/web": ["core", "http"],
  "adapters/mcp": ["core", "http", "limiter"],
  "adapters/better-auth": ["core", "algorithms", "http", "limiter"],
  "adapters/nestjs": ["core", "algorithms", "limiter", "http", "adapters/node"],
  "limited-fetch": ["core", "algorithms", "limiter"],
  replacing: ["core", "algorithms", "limiter", "stores/memory", "stores/redis"],
  config: ["core", "algorithms", "limiter", "http", "stores/memory"],
  metrics: ["core", "limiter"],
  diagnostics: ["core", "limiter"],
  dashboard: ["core", "limiter", "metrics"],
  testing: ["core", "algorithms", "limiter", "stores/memory"],
};

/** Places whose files may be named for one of these may import `node:`. */
const NODE_PLACES = /^(adapters\/(node|nestjs)|diagnostics)\b/;
/** Folders without any third-party import. */
const BARE_FOLDERS = [
  "core",
  "algorithms",
  "limiter",
  "limited-fetch",
  "replacing",
  "stores/local",
  "stores/memory",
  "stores/table",
  "stores/shared",
  "stores/remote",
  "stores/hybrid",
  "stores/owned",
  "stores/cluster",
  "stores/durable-object",
  "store",
];

/** Planted files: one in each folder, one in a folder inside it, and one for each file with rules of its own. */
const PLACES = [...Object.keys(LAYERS).flatMap((folder) => [`${folder}/planted.ts`, `${folder}/inner/planted.ts`])];

const FORMS: readonly ((from: string, name: string) => string)[] = [
  (from, name) => `import { ${name} } from "${from}";`,
  (from, name) => `import type { ${name} } from "${from}";`,
  (from, name) => `import { type ${name} } from "${from}";`,
  (from) => `import "${from}";`,
  (from, name) => `export { ${name} } from "${from}";`,
  (from, name) => `export type { ${name} } from "${from}";`,
  (from) => `export * from "${from}";`,
  (from, name) => `export * as ${name} from "${from}";`,
  (from, name) => `const ${name} = import("${from}");`,
];

interface Specifiers {
  readonly allowed: readonly string[];
  readonly forbidden: readonly string[];
}

/**
 * One statement on each line, so that a line number names the statement. The rules match what follows `from`, so the
 * first specifier of each list is written in all forms, and the others in one form each, in turn.
 */
function statementsOf({ allowed, forbidden }: Specifiers): { readonly good: string[]; readonly bad: string[] } {
  const write = (froms: readonly string[], prefix: string) =>
    froms.flatMap((from, at) => {
      const forms = at === 0 ? FORMS : [FORMS[at % FORMS.length]!];
      return forms.map((form, index) => form(from, `${prefix}${at}_${index}`));
    });
  return { good: write(allowed, "good"), bad: write(forbidden, "bad") };
}

function folderOf(place: string): string {
  const folder = Object.keys(LAYERS).find((name) => place.startsWith(`${name}/`));
  if (folder === undefined) throw new Error(`no layer: ${place}`);
  return folder;
}

function relative(place: string, target: string): string {
  const path = posix.relative(dirname(place), target);
  return path.startsWith(".") ? path : `./${path}`;
}

function specifiersOf(place: string): Specifiers {
  const own = folderOf(place);
  const may = LAYERS[own] ?? [];
  const others = Object.keys(LAYERS).filter((folder) => folder !== own);
  const allowed = may.map((folder) => relative(place, `${folder}/target.ts`));
  const outside = others.filter((folder) => !may.includes(folder));
  const forbidden = outside.flatMap((folder) => spellings(place, `${folder}/target.ts`));

  allowed.push("./target.ts", "./target/target.ts");
  if (dirname(place) !== own) allowed.push("../target.ts");
  forbidden.push("./index.ts", relative(place, "index.ts"), "#target", "https://example.com/target.js", "bun:sqlite");
  const node = NODE_PLACES.test(place) ? allowed : forbidden;
  node.push("node:fs", "node:fs/promises", "fs", "fs/promises", "node:worker_threads", "node:sqlite");
  const packages = BARE_FOLDERS.includes(own) ? forbidden : allowed;
  packages.push("ioredis", "@example/client", "example/target");
  forbidden.push("tollgate", "tollgate/testing", "@tollgate/server");
  return { allowed, forbidden };
}

/** The plain path, and detours to the same file. */
function spellings(place: string, target: string): readonly string[] {
  const plain = relative(place, target);
  const own = relative(place, folderOf(place));
  return [plain, `./${plain}`, `${own}/../${plain}`.replace("./../", "../"), relative(place, `../src/${target}`)];
}

const planted: Record<string, { readonly good: string[]; readonly bad: string[] }> = {};
for (const place of PLACES) planted[`${SOURCE}/${place}`] = statementsOf(specifiersOf(place));

planted[`${SOURCE}/index.ts`] = statementsOf({
  allowed: [...Object.keys(LAYERS).map((folder) => `./${folder}/target.ts`), "./testing/index.ts"],
  forbidden: [],
});
for (const place of ["src/planted.ts", "src/inner/planted.ts", "bin/planted.js", "test/planted.ts"]) {
  const file = `packages/server/${place}`;
  planted[file] = statementsOf({
    allowed: ["tollgate", "tollgate/node", "node:http", "example", "./target.ts", "../target.ts", "../dist/target.js"],
    forbidden: [
      ...["src/index.ts", "dist/index.js"].map((path) => relative(file, `packages/tollgate/${path}`)),
      relative(file, "packages/tollgate/test/target.ts"),
      relative(file, "node_modules/tollgate/dist/index.js"),
      "tollgate/dist/index.js",
      "tollgate/src/index.ts",
    ],
  });
}

/** The same for the server. Only `command`, `workers` and `service.ts` are above its protocols. */
const SERVER_LAYERS: Readonly<Record<string, readonly string[]>> = {
  http: [],
  files: [],
  log: ["http"],
  check: ["http"],
  limits: ["files", "http", "log", "command"],
  replay: ["limits", "command"],
  demo: ["http", "log", "check"],
  operations: ["http", "limits", "log"],
  api: ["http", "limits", "operations", "log", "check"],
  admin: ["http", "limits", "log"],
  dashboard: ["admin", "http", "limits", "log", "operations"],
  envoy: ["files", "http", "limits", "log"],
  workers: ["admin", "dashboard", "http", "limits", "log", "operations"],
};
const SERVER_SOURCE = "packages/server/src";

for (const [folder, may] of Object.entries(SERVER_LAYERS)) {
  const outside = [...Object.keys(SERVER_LAYERS), "command"].filter(
    (other) => other !== folder && !may.includes(other),
  );
  // Workers start the service.
  const service = folder === "workers" ? { allowed: ["../service.ts"] } : { forbidden: ["../service.ts"] };
  planted[`${SERVER_SOURCE}/${folder}/planted.ts`] = statementsOf({
    allowed: ["tollgate", "tollgate/node", "node:http", "example", "./target.ts"].concat(
      may.map((other) => `../${other}/target.ts`),
      service.allowed ?? [],
    ),
    forbidden: (service.forbidden ?? []).concat(
      "tollgate/src/index.ts",
      outside.map((other) => `../${other}/target.ts`),
    ),
  });
}

const CYCLES = {
  [`${SOURCE}/core/first.ts`]: 'import { b } from "./second.ts";\nexport const a = () => b;\n',
  [`${SOURCE}/core/second.ts`]: 'import { c } from "./third.ts";\nexport const b = () => c;\n',
  [`${SOURCE}/core/third.ts`]: 'import { a } from "./first.ts";\nexport const c = () => a;\n',
  [`${SOURCE}/http/types.ts`]: 'import type { B } from "./others.ts";\nexport type A = B | 1;\n',
  [`${SOURCE}/http/others.ts`]: 'import type { A } from "./types.ts";\nexport type B = A | 2;\n',
};

describe("the layer rules", () => {
  let root: string;
  let findings: readonly Finding[];
  beforeAll(async () => {
    const sources = Object.entries(planted).map(([file, { good, bad }]) => [file, [...good, ...bad].join("\n")]);
    root = plantWorkspace({ ...Object.fromEntries(sources), ...CYCLES });
    findings = await biomeFindings(root, ["style/noRestrictedImports", "suspicious/noImportCycles"]);
  });
  afterAll(() => remove(root));

  it.each(Object.keys(planted))("reject every import that this file may not have, and no other: %s", (file) => {
    const { good, bad } = planted[file] ?? { good: [], bad: [] };
    const lines = findings
      .filter(({ path, rule }) => path === file && rule === "lint/style/noRestrictedImports")
      .map(({ line }) => line);
    const statements = [...good, ...bad];
    expect([...new Set(lines)].map((line) => statements[line - 1])).toEqual(bad);
  });

  it("reject cycles of imports and of type imports", () => {
    const cycles = findings.filter(({ rule }) => rule === "lint/suspicious/noImportCycles");
    expect(cycles.map(({ path }) => path)).toEqual(Object.keys(CYCLES).sort());
  });

  it("have a row for every folder of the server", () => {
    const folders = readdirSync(join(REPOSITORY, SERVER_SOURCE), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    expect(new Set(folders)).toEqual(new Set([...Object.keys(SERVER_LAYERS), "command"]));
  });

  it("have a row for every folder of the library", () => {
    const folders = readdirSync(join(REPOSITORY, SOURCE), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => posix.relative(SOURCE, posix.relative(REPOSITORY, join(entry.parentPath, entry.name))));
    const homeless = folders.filter((file) => !Object.keys(LAYERS).some((folder) => file.startsWith(`${folder}/`)));
    expect(homeless).toEqual(["index.ts"]);
  });
});
