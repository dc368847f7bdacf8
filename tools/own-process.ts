import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const REPOSITORY = fileURLToPath(new URL("..", import.meta.url));
const FOLDERS = ["packages/tollgate/test", "packages/server/test", "bench/test", "test"];

/** What the text of a test file has that needs a process of its own. */
const REASONS: readonly RegExp[] = [
  // It measures memory.
  /memoryUsage|memory-in-use|allocated-bytes|\bgc\?/,
  // It replaces modules.
  /vi\.(?:mock|doMock|resetModules)\(/,
  // It sends a response of the first global `Response` of its process.
  /RESPONSE_ALREADY_SENT/,
  // It runs examples of the docs, which use fake time and the default registry of metrics.
  /examples\.ts"/,
];
/** It replaces the global `Response` for good, itself or by the applications that it shares with others. */
const REPLACES_RESPONSE = /from "@hono\/node-server"|hono-apps\.ts"/;

/** Without the packages that are installed there, which have thousands of folders. */
function testFilesIn(folder: string): string[] {
  return readdirSync(join(REPOSITORY, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === "installed" ? [] : testFilesIn(path);
    return path.endsWith(".test.ts") ? [path] : [];
  });
}

/** The test files of the repository. */
export const TEST_FILES: readonly string[] = FOLDERS.flatMap(testFilesIn);

const ALL = TEST_FILES.map((file) => ({ file, text: readFileSync(join(REPOSITORY, file), "utf8") }));

/** The test files that cannot leave their process as they found it, or have to have it for themselves. */
export const OWN_PROCESS: readonly string[] = ALL.filter(({ text }) => REASONS.some((reason) => reason.test(text))).map(
  ({ file }) => file,
);

/** The test files that share processes in which Hono has replaced the global `Response`. */
export const HONO_PROCESS: readonly string[] = ALL.filter(({ text }) => REPLACES_RESPONSE.test(text))
  .map(({ file }) => file)
  .filter((file) => !OWN_PROCESS.includes(file));
