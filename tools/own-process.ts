import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const REPOSITORY = fileURLToPath(new URL("..", import.meta.url));
const FOLDERS = ["packages/tollgate/test", "packages/server/test", "bench/test", "test"];

/** What the text of a test file has that needs a process of its own. */
const REASONS: readonly RegExp[] = [
  // It measures memory.
  /memoryUsage|memory-in-use|allocated-bytes|\bgc\?/,
  // It replaces what other files use.
  /vi\.(?:mock|doMock|resetModules|useFakeTimers|stubGlobal|stubEnv)\(/,
  // It replaces the global `Response`, itself or by the applications that it shares with others.
  /@hono\/node-server|hono-apps\.ts"/,
  // It runs examples of the docs, which use fake time and the default registry of metrics.
  /examples\.ts"/,
];

/** Whether a test file cannot leave its process as it found it, or has to have it for itself. */
function needsOwnProcess(text: string): boolean {
  return REASONS.some((reason) => reason.test(text));
}

/** The test files that need processes of their own. */
export function filesWithOwnProcess(): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".test.ts"))
      .map((file) => `${folder}/${file}`)
      .filter((file) => needsOwnProcess(readFileSync(join(REPOSITORY, file), "utf8"))),
  );
}
