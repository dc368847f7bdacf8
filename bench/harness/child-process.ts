import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const run = promisify(execFile);

/** The bench runs compiled: this file is `bench/dist/harness/child-process.js`. */
export const CHILD: string = fileURLToPath(new URL("../child.js", import.meta.url));

/**
 * With Node's initial heap size, some processes have a slow `process.nextTick` until they end: 7 to 10 % of a server's
 * time in Node 20. With this size the bench has not seen it. The cause may be a full collection during start-up, which
 * drops V8's type feedback.
 */
export const STEADY_HEAP = "--initial-heap-size=128";

const TIMEOUT_MS = 600_000;

/** Runs `child.js KIND ORDER` in a new process. Returns the JSON that it prints. */
export async function runChild<T>(kind: string, order: object, flags: readonly string[] = []): Promise<T> {
  const args = [...flags, CHILD, kind, JSON.stringify(order)];
  const { stdout } = await run(process.execPath, args, { timeout: TIMEOUT_MS });
  return JSON.parse(stdout) as T;
}

/** The last error that a process printed, or the error's own message: one line, without names of folders. */
export function reasonOf(error: unknown): string {
  const { stderr } = Object(error) as { readonly stderr?: unknown };
  const printed = typeof stderr === "string" ? stderr : "";
  const line = printed.split("\n").findLast((text) => /^\w*(?:Error|Exception)\b.*: /.test(text));
  return (line ?? String(error).split("\n")[0]!).replaceAll(/(?:file:\/\/)?(?:\/[^\s/'"]+)+\/([^\s/'"]+)/g, "$1");
}
