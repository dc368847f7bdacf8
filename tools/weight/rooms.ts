import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const LIBRARY = "packages/tollgate/src";
const LOCAL_STORES = ["local", "memory", "table", "shared"].map((name) => `${LIBRARY}/stores/${name}`);
/** What connects the limiter to other software. It has a budget beside those of the first release's rooms. */
const INTEGRATIONS = [
  ...["mcp", "better-auth", "nestjs"].map((name) => `${LIBRARY}/adapters/${name}`),
  ...["postgres", "owned", "cluster", "durable-object"].map((name) => `${LIBRARY}/stores/${name}`),
  `${LIBRARY}/replacing`,
];
const DASHBOARD = [`${LIBRARY}/dashboard`, "packages/server/src/dashboard"];
const without = (paths: readonly string[]): readonly string[] => paths.map((path) => `:!${path}`);
const TESTS = ["packages/tollgate/test", "packages/server/test", "bench/test", "test"];

/**
 * The parts of the repository: lines of code, or words of documents. `npm run check` accepts a budget; lower it when
 * the room has become smaller.
 */
export const ROOMS: readonly (readonly [name: string, paths: readonly string[], budget: number, goal: number])[] = [
  ["library", [LIBRARY, ...without(INTEGRATIONS), ...without(DASHBOARD)], 27_888, 21_500],
  ["core and algorithms", [`${LIBRARY}/core`, `${LIBRARY}/algorithms`], 3_062, 2_500],
  ["limiter", [`${LIBRARY}/limiter`], 4_351, 3_300],
  ["stores of this process", LOCAL_STORES, 5_277, 4_000],
  ["redis", ["redis", "remote"].map((name) => `${LIBRARY}/stores/${name}`), 5_663, 3_700],
  ["hybrid", [`${LIBRARY}/stores/hybrid`], 1_297, 1_300],
  ["config", [`${LIBRARY}/config`], 2_663, 2_000],
  ["http and adapters", [`${LIBRARY}/http`, `${LIBRARY}/adapters`, ...without(INTEGRATIONS)], 2_980, 2_600],
  ["metrics and diagnostics", [`${LIBRARY}/metrics`, `${LIBRARY}/diagnostics`], 968, 900],
  ["other entries", [`${LIBRARY}/limited-fetch`, `${LIBRARY}/testing`, `${LIBRARY}/store`], 1_627, 1_400],
  ["integrations", INTEGRATIONS, 3_592, 2_800],
  ["server", ["packages/server/src", ...without(["packages/server/src/replay", ...DASHBOARD])], 6_313, 4_700],
  ["dashboard", DASHBOARD, 2_187, 1_500],
  ["replay", ["packages/server/src/replay"], 1_488, 1_500],
  ["tests", TESTS, 57_366, 36_000],
  ["site", ["site"], 1_267, 1_500],
  ["bench", ["bench", ":!bench/test"], 2_730, 2_400],
  ["tools", ["tools"], 968, 1_200],
  ["words of documents", ["*.md", ":!CHANGELOG.md"], 65_000, 65_000],
];

/** The size of the files that git knows, or would add. */
export function sizeOf(paths: readonly string[]): number {
  const [counted, measure] = paths.includes("*.md")
    ? [/\.md$/, words]
    : [/\.(?:tsx?|lua|sql|mjs|vue|css)$/, linesOfCode];
  const options = ["--cached", "--others", "--exclude-standard", "--", ...paths];
  const files = execFileSync("git", ["ls-files", ...options], { encoding: "utf8", maxBuffer: 1e8 }).split("\n");
  return files
    .filter((file) => counted.test(file) && existsSync(file))
    .reduce((sum, file) => sum + measure(readFileSync(file, "utf8")), 0);
}

function words(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

const BLOCK_COMMENT = /^[ \t]*\/\*[\s\S]*?\*\/.*$/gm;
const LINE_COMMENT = /^[ \t]*(?:\/\/|--).*$/gm;
/** Ends at the first line that ends with the name of a module. */
const IMPORT_OR_REEXPORT = /^[ \t]*(?:import\b|export (?:type )?[*{])[\s\S]*?["'](?: with \{.*\})?;?$/gm;

/** The lines without blank ones, comments, imports and re-exports. */
function linesOfCode(text: string): number {
  const code = [BLOCK_COMMENT, LINE_COMMENT, IMPORT_OR_REEXPORT].reduce((rest, part) => rest.replace(part, ""), text);
  return code.split("\n").filter((line) => line.trim() !== "").length;
}
