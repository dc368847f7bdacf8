import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import manifest from "../../packages/tollgate/package.json" with { type: "json" };
import { REPOSITORY } from "../support/planted-workspace.ts";
import { type Run, runNode } from "../support/run.ts";
import { folderOfFile, plant } from "../support/temporary-folder.ts";
import { buildCleanly } from "./clean-build.ts";
import { DEPENDENCIES, packAll } from "./installed-project.ts";
import {
  compile,
  install,
  link,
  PROJECT_KINDS,
  type ProjectKind,
  plantBareProject,
  plantProject,
  runProgram,
  sampleOf,
} from "./projects.ts";

const QUIET_SUCCESS: Run = { status: 0, stdout: "", stderr: "" };

const { "./package.json": _manifest, ...entries } = manifest.exports;
/** The frameworks of the adapters and their types, which users install. */
const FRAMEWORKS = [
  "@opentelemetry/api",
  "express",
  "fastify",
  "hono",
  "@hono/node-server",
  "koa",
  "@nestjs/common",
  "@nestjs/core",
  "@types/express",
  "@types/koa",
];

const subpaths = Object.keys(entries);

interface Project {
  readonly root: string;
  readonly installed: Run;
  /** The packages in its node_modules after the installation. */
  readonly packages: readonly string[];
  readonly compiled: Run;
}

const folder = folderOfFile();
const library = await buildCleanly(join(folder, "workspace"));
const packedLibrary = await packAll(library.folder, folder);

/** Creates a project outside the repository, installs the tarball, and compiles the project if it is TypeScript. */
async function createProject(name: string, write: (root: string) => void): Promise<Project> {
  const root = join(folder, name.replaceAll(" ", "-"));
  mkdirSync(root);
  write(root);
  const installed = await install(root, packedLibrary.tarballs);
  const packages = readdirSync(join(root, "node_modules")).filter((entry) => !entry.startsWith("."));
  link(root, FRAMEWORKS);
  const compiled = existsSync(join(root, "tsconfig.json")) ? await compile(root) : QUIET_SUCCESS;
  return { root, installed, packages, compiled };
}

/** The errors of the compiler, without those in the types of frameworks. */
function faultsIn({ compiled }: Project): string[] {
  const lines = (compiled.stdout + compiled.stderr).split("\n").filter((line) => line !== "");
  return lines.filter((line) => !/node_modules\/@types\/(express|koa)[\w-]*\//.test(line));
}

describe("the tarball", () => {
  it("comes from a build without errors", () => {
    expect(library.built).toEqual(QUIET_SUCCESS);
  });

  it("has the built files, the README and the license, and no other file", () => {
    const others = packedLibrary.packed.files.filter((file) => !/^dist\/[\w/-]+\.(c?js|d\.c?ts)$/.test(file));
    expect(others.sort()).toEqual([
      "LICENSE",
      "README.md",
      "dist/LICENSES.txt",
      "dist/limits.schema.json",
      "dist/stores/postgres/migration.sql",
      "package.json",
    ]);
  });

  it("has a module and declarations of each subpath, for import and for require", () => {
    for (const [subpath, { import: esm, require: commonJs }] of Object.entries(entries)) {
      const name = esm.default.replace(/\.js$/, "");
      expect([subpath, esm]).toEqual([subpath, { types: `${name}.d.ts`, default: `${name}.js` }]);
      expect([subpath, commonJs]).toEqual([subpath, { types: `${name}.d.cts`, default: `${name}.cjs` }]);
    }
  });

  it("leads tools that ignore exports to the types of each subpath", () => {
    const { ".": main, ...others } = entries;
    const types = Object.entries(others).map(([subpath, target]) => [subpath.slice(2), [target.require.types]]);
    expect(manifest.typesVersions).toEqual({ "*": Object.fromEntries(types) });
    expect([manifest.main, manifest.types]).toEqual([main.require.default, main.require.types]);
  });

  it("has the licenses of the packages that the bundles contain", () => {
    const text = readFileSync(join(library.folder, "dist/LICENSES.txt"), "utf8");
    expect(text).toMatch(/^@noble\/hashes\n\nThe MIT License \(MIT\)\n\nCopyright \(c\) 2022 Paul Miller/);
    expect(text.match(/^@?[a-z][\w/.-]*$/gm)).toEqual(["@noble/hashes", "preact", "uplot"]);
  });
});

describe("the subpaths of the package", () => {
  it("have one sample each", () => {
    const samples = readdirSync(join(REPOSITORY, "test/packaging/samples"), { recursive: true, encoding: "utf8" });
    expect(samples.sort()).toEqual(subpaths.map((subpath) => `${sampleOf(subpath)}.ts`).sort());
  });
});

describe("a user's project", () => {
  let projects: readonly Project[];
  beforeAll(async () => {
    const samples = subpaths.map(sampleOf);
    const created = PROJECT_KINDS.map((kind) => createProject(kind.name, (root) => plantProject(root, kind, samples)));
    projects = await Promise.all(created);
  });

  function projectOf(kind: ProjectKind): Project {
    return projects[PROJECT_KINDS.indexOf(kind)] as Project;
  }

  describe.each(PROJECT_KINDS)("in $name", (kind) => {
    it("gets the package and its dependencies, and nothing else", () => {
      const { installed, packages } = projectOf(kind);
      expect(installed).toMatchObject({ status: 0, stderr: "" });
      expect(packages).toEqual([...DEPENDENCIES, "tollgate"]);
    });

    it("compiles without errors", () => {
      expect(faultsIn(projectOf(kind))).toEqual([]);
    });

    // The sample of `./cluster` runs again in its workers, so it has a process of its own.
    it.each(["all", "cluster"])("runs without a warning: %s", async (program) => {
      expect(await runProgram(projectOf(kind).root, kind, program)).toEqual(QUIET_SUCCESS);
    });
  });
});

/** Prints the URL of every loaded module. */
const HOOKS = `import { writeSync } from "node:fs";
export async function load(url, context, nextLoad) {
  writeSync(1, url + "\\n");
  return nextLoad(url, context);
}`;

describe("the main entry of the package", () => {
  let project: Project;
  beforeAll(async () => {
    project = await createProject("bare", plantBareProject);
  });

  it("compiles without the types of Node or of the DOM", () => {
    expect(project.compiled).toEqual(QUIET_SUCCESS);
  });

  it("loads its own files, no module of Node, and no other subpath", async () => {
    plant(project.root, {
      "hooks.js": HOOKS,
      "register.js": 'import { register } from "node:module";\nregister("./hooks.js", import.meta.url);\n',
      "main.js": 'import "tollgate";\n',
    });
    const { status, stdout, stderr } = await runNode(project.root, ["--import", "./register.js", "main.js"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });

    const home = pathToFileURL(join(project.root, "/")).href;
    const [first, ...loaded] = stdout.trimEnd().split("\n");
    expect(first).toBe(`${home}main.js`);
    const files = loaded.map((url) => url.replace(`${home}node_modules/tollgate/dist/`, ""));
    expect(files).toContain("index.js");
    expect(files.filter((file) => !/^(index|chunks\/[\w-]+)\.js$/.test(file))).toEqual([]);
    const stores = files.map((file) => readFileSync(join(project.root, "node_modules/tollgate/dist", file), "utf8"));
    expect(stores.join("")).not.toMatch(
      /packages\/tollgate\/src\/(adapters|limited-fetch|replacing|config|http|stores\/(redis|shared|table)|testing)\//,
    );
  });
});
