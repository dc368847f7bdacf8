import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { REPOSITORY } from "../support/planted-workspace.ts";
import { type Run, run, runNode } from "../support/run.ts";
import { plant } from "../support/temporary-folder.ts";

/** The language of a project and how it loads modules. */
export interface ProjectKind {
  readonly name: string;
  readonly language: "javascript" | "typescript";
  readonly modules: "module" | "commonjs";
}

export const PROJECT_KINDS: readonly ProjectKind[] = [
  { name: "JavaScript with import", language: "javascript", modules: "module" },
  { name: "JavaScript with require", language: "javascript", modules: "commonjs" },
  { name: "TypeScript to ES modules", language: "typescript", modules: "module" },
  { name: "TypeScript to CommonJS", language: "typescript", modules: "commonjs" },
];

const SAMPLES = "test/packaging/samples";
const STRICT = {
  target: "es2023",
  module: "nodenext",
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  outDir: "out",
  types: ["node"],
  typeRoots: [join(REPOSITORY, "node_modules/@types")],
};

/** `.` has its sample in `index.ts`, `./node` in `node.ts`. */
export function sampleOf(subpath: string): string {
  return subpath === "." ? "index" : subpath.replace("./", "");
}

/** Samples have no type annotations, so that they are also JavaScript. */
export function toCommonJs(sample: string): string {
  return sample.replace(/^import (\w+|\{[^}]*\}) from (".+");$/gm, "const $1 = require($2);");
}

export function read(file: string): string {
  return readFileSync(join(REPOSITORY, file), "utf8");
}

/** The text of a program that runs all samples except the one that forks its process, each after the one before. */
export function runningAll(samples: readonly string[], end: string): string {
  const files = samples.filter((sample) => sample !== "cluster").map((sample) => `./${sample}.${end}`);
  return `const files = ${JSON.stringify(files)};
process.exitCode = 9;
process.on("beforeExit", () => {
  const next = files.shift();
  if (next === undefined) process.exitCode = 0;
  else setImmediate(() => void import(next));
});
`;
}

/** Writes a project that uses the given samples. */
export function plantProject(root: string, kind: ProjectKind, samples: readonly string[]): void {
  const files: Record<string, string> = {
    "package.json": JSON.stringify({ name: "project", version: "1.0.0", private: true, type: kind.modules }),
  };
  const sources = samples.map((sample) => [sample, read(`${SAMPLES}/${sample}.ts`)] as const);
  for (const [name, source] of [...sources, ["all", runningAll(samples, "js")] as const]) {
    if (kind.language === "typescript") files[`${name}.ts`] = source;
    else files[`${name}.js`] = kind.modules === "module" ? source : toCommonJs(source);
  }
  if (kind.language === "typescript") {
    files["types.ts"] = read("test/packaging/types.ts");
    files["tsconfig.json"] = JSON.stringify({ compilerOptions: STRICT });
  }
  plant(root, files);
}

/** Writes a project that uses the main entry, compiled without the types of any runtime. */
export function plantBareProject(root: string): void {
  const compilerOptions = { ...STRICT, types: [], lib: ["es2023"] };
  plant(root, {
    "package.json": JSON.stringify({ name: "project", version: "1.0.0", private: true, type: "module" }),
    "types.ts": read("test/packaging/types.ts"),
    "tsconfig.json": JSON.stringify({ compilerOptions }),
  });
}

/** The environment of a user, without the variables of npm and of the test run. */
export function userEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_|VITEST)/i.test(name)));
}

/** Installs the tarballs of a package and its dependencies, without a registry. */
export function install(root: string, tarballs: readonly string[]): Promise<Run> {
  const args = ["install", ...tarballs, "--offline", "--no-audit", "--no-fund", "--cache", join(root, ".npm")];
  return run("npm", [...args, "--loglevel=error"], { cwd: root, env: userEnvironment() });
}

/** Where a dependency of the library is installed. The library has its own copy if the workspace needs another one. */
export function folderOf(name: string): string {
  const own = join(REPOSITORY, "packages/tollgate/node_modules", name);
  return existsSync(own) ? own : join(REPOSITORY, "node_modules", name);
}

/** Packs a package that is installed in this repository. */
export async function packInstalled(name: string, folder: string): Promise<string> {
  const args = ["pack", folderOf(name), "--pack-destination", folder, "--ignore-scripts", "--silent"];
  const { stdout } = await run("npm", args, { cwd: folder, env: userEnvironment() });
  return join(folder, stdout.trim());
}

/** Links packages that are installed in this repository into a project. */
export function link(root: string, names: readonly string[]): void {
  for (const name of names) {
    const place = join(root, "node_modules", name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(REPOSITORY, "node_modules", name), place);
  }
}

export function compile(root: string): Promise<Run> {
  return runNode(root, [join(REPOSITORY, "node_modules/typescript/bin/tsc")], userEnvironment());
}

/** Runs a sample of a project, or `all` of them in one process. */
export function runProgram(root: string, kind: ProjectKind, program: string): Promise<Run> {
  const file = kind.language === "typescript" ? `out/${program}.js` : `${program}.js`;
  return runNode(root, [file], userEnvironment());
}
