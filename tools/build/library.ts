/**
 * Builds the library: bundles for `import` and `require`, and the declarations of both. The compiler has checked the
 * sources before, and has emitted their declarations to `.types`. Takes the folder of the package.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { limitsSchema } from "../limits-schema.ts";
import { readManifest } from "../pack.ts";
import { bundle } from "./bundle.ts";
import { declarations } from "./declarations.ts";

/** `./dist/stores/redis/index.js` is built from `src/stores/redis/index.ts`. */
const BUILT = /"\.\/dist\/([\w/-]+)\.js"/g;

function entriesOf(folder: string): readonly string[] {
  const exports = JSON.stringify(readManifest(folder).exports);
  return [...exports.matchAll(BUILT)].map(([, name = ""]) => name);
}

/** Writes what has changed, so that programs that run meanwhile find whole files. Removes what is not of this build. */
function write(folder: string, files: ReadonlyMap<string, string>): void {
  const before = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
  for (const [name, text] of files) {
    const path = join(folder, name);
    if (existsSync(path) && readFileSync(path, "utf8") === text) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const stale = before.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  for (const path of stale) if (!files.has(path.slice(folder.length + 1))) rmSync(path);
}

const folder = resolve(process.argv[2] ?? "packages/tollgate");
const entries = entriesOf(folder);
const code = await bundle(join(folder, "src"), entries);
const types = declarations(join(folder, ".types"), entries);
// For editors.
const schemas: readonly [string, string][] = entries.includes("config/index")
  ? [["limits.schema.json", `${JSON.stringify(limitsSchema())}\n`]]
  : [];
// Tools that apply SQL read it as a file.
const SQL = "stores/postgres/migration.sql";
const migrations: readonly [string, string][] = entries.includes("stores/postgres/index")
  ? [[SQL, readFileSync(join(folder, "src", SQL), "utf8")]]
  : [];
write(join(folder, "dist"), new Map([...code, ...types, ...schemas, ...migrations]));
