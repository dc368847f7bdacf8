import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { ORIGIN_US } from "../../packages/tollgate/src/stores/redis/script/encode-call.ts";
import { LEASES_OF_HOLDER, MOST_LEASES } from "../../packages/tollgate/src/stores/redis/script/lease.ts";
import { BLOCK_MARK, FITS } from "../../packages/tollgate/src/stores/redis/script/reply-codes.ts";
import {
  FIRST_GROUP,
  NUMBER_MULTIPLES,
  RECEIPT_FORMAT,
  ROW_VERSION,
} from "../../packages/tollgate/src/stores/redis/script/row.ts";
import { SCRIPT_VERBS, type ScriptVerbRow } from "../../packages/tollgate/src/stores/redis/script/script-verbs.ts";
import { shortLua } from "./short-lua.ts";

const FOLDER = new URL("../../packages/tollgate/src/stores/redis/script/lua/", import.meta.url);

/** One file for each algorithm. */
const KERNELS = readdirSync(new URL("kernels/", FOLDER))
  .sort()
  .map((file) => file.replace(".lua", ""));

/** The fast form, in this order: each file may use the local names of those before it. */
const FAST_FILES = ["start", "read-plans", "take-from-buckets", "finish"];
/** The general form, which may use those of the fast form, too. */
const GENERAL_FILES = [
  "cells",
  ...KERNELS.map((kernel) => `kernels/${kernel}`),
  "limits",
  "rows",
  "counts",
  "blocks",
  "repeats",
  "verbs",
  "receipts",
  "leases",
  "transactions",
];

/**
 * The general form is a function. When Lua 5.1 makes a function, it searches the locals of the running one for each
 * that the new one uses: without this, a call in the general form takes 8 µs longer.
 */
const FUNCTION = ["return (function()", "end)()"];

/** Names in the Lua that stand for values of the library. */
const VALUES: ReadonlyMap<string, string> = new Map([
  ["BLOCK_MARK", String(BLOCK_MARK)],
  ["FITS", String(FITS)],
  ["MOST_LEASES", String(MOST_LEASES)],
  ["LEASES_OF_HOLDER", String(LEASES_OF_HOLDER)],
  ["FIRST_GROUP", `'${FIRST_GROUP}'`],
  ["NUMBER_MULTIPLES", `{ ${NUMBER_MULTIPLES.join(", ")} }`],
  ["ORIGIN_US", String(ORIGIN_US)],
  ["RECEIPT_FORMAT", `'${RECEIPT_FORMAT}'`],
  ["ROW_VERSION", `'\\${ROW_VERSION}'`],
  ["KINDS", KERNELS.map((kernel) => `${kernel.replaceAll("-", "_")}_kind(name)`).join(" or ")],
  ["VERB_ROWS", Object.values(SCRIPT_VERBS).map(verbRow).join(" ")],
]);

/** A line of the script, and where it comes from. */
interface LuaLine {
  readonly text: string;
  readonly file: string;
  readonly line: number;
}

/** The lines of the files, in order, with the values of the library. */
function luaLines(): readonly LuaLine[] {
  const names = new RegExp(`\\b(?:${[...VALUES.keys()].join("|")})\\b`, "g");
  const linesOf = (file: string) =>
    readFileSync(new URL(`${file}.lua`, FOLDER), "utf8")
      .split("\n")
      .map((text, i) => ({ text: text.replaceAll(names, (name) => VALUES.get(name)!), file, line: i + 1 }));
  const [before, after] = FUNCTION.map((text) => ({ text, file: "finish", line: 0 }));
  return [...FAST_FILES.flatMap(linesOf), before!, ...GENERAL_FILES.flatMap(linesOf), after!];
}

/** The script without comments and indentation. */
export function longScript(): string {
  const lines = luaLines().map(({ text }) => text.trim());
  return lines.filter((text) => text !== "" && !text.startsWith("--")).join("\n");
}

/** The same with short names. */
export function luaScript(): string {
  return shortLua(longScript());
}

/** What luacheck finds in the files together, because they share local names; `undefined` if it is not installed. */
export function luaFindings(): readonly string[] | undefined {
  const lines = luaLines();
  const globals = ["--std", "lua51", "--read-globals", "ARGV", "KEYS", "redis", "struct", "cjson"];
  const options = [...globals, "--no-max-line-length", "--formatter", "plain", "--no-color", "-"];
  const input = lines.map(({ text }) => text).join("\n");
  const { error, stdout, stderr, status } = spawnSync("luacheck", options, { input, encoding: "utf8" });
  if (error !== undefined) return undefined;
  if (status === 0) return [];
  const findings = [...stdout.matchAll(/^stdin:(\d+):(.*)$/gm)].map(([, at, what]) => {
    const { file, line } = lines[Number(at) - 1]!;
    return `lua/${file}.lua:${line}:${what}`;
  });
  return findings.length > 0 ? findings : [stderr];
}

/** Returns what is true of a verb, such as `removes_idle`. */
function verbRow({ name, takes, ...traits }: ScriptVerbRow): string {
  const flags = { ...traits, takes: takes !== "never", charges: takes === "always" };
  const columns = Object.entries(flags).flatMap(([flag, value]) => (value === true ? [`${inLua(flag)} = true`] : []));
  return `if name == '${name}' then return { ${columns.join(", ")} } end`;
}

function inLua(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
