/**
 * Joins the Lua of the Redis store into one script, as a module with its text and its SHA-1, and makes a module of the
 * migration for PostgreSQL: sources, tests and bundlers import a string. `npm run script` writes both, and tests
 * compare. With `--lint` it runs luacheck instead.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { luaFindings, luaScript } from "./lua-script.ts";

const POSTGRES = new URL("../../packages/tollgate/src/stores/postgres/", import.meta.url);
const MODULE = new URL("../../packages/tollgate/src/stores/redis/script/source.generated.ts", import.meta.url);

function write(): void {
  const script = luaScript();
  const sha = createHash("sha1").update(script).digest("hex");
  writeFileSync(
    MODULE,
    `// Written by \`npm run script\` from the files in \`lua\`.\n
/** The script of all calls. */
export const SCRIPT: string =
  ${JSON.stringify(script)};
/** The SHA-1 by which servers know it. */
export const SCRIPT_SHA = "${sha}";\n`,
  );
  writeFileSync(
    new URL("migration.generated.ts", POSTGRES),
    `// Written by \`npm run script\` from \`migration.sql\`.\n
/** The migration with counts that a crash loses. */
export const MIGRATION: string =
  ${JSON.stringify(readFileSync(new URL("migration.sql", POSTGRES), "utf8"))};\n`,
  );
}

if (process.argv.includes("--lint")) {
  const findings = luaFindings();
  // The deep tier, which installs luacheck, fails without it: the installation may still be running here.
  if (findings === undefined) console.warn("NOT CHECKED: Lua. luacheck is missing: apt install lua-check");
  for (const finding of findings ?? []) {
    console.error(finding);
    process.exitCode = 1;
  }
} else write();
