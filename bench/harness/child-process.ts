import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
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

export type ChildOptions = { readonly flags: readonly string[]; readonly timeoutMs: number };

/** Runs `child.js <what> <order as JSON>` in a new process. Returns the JSON that it prints. */
export async function runChild<T>(what: string, order: object, { flags, timeoutMs }: ChildOptions): Promise<T> {
  const args = [...flags, CHILD, what, JSON.stringify(order)];
  const { stdout } = await run(process.execPath, args, { timeout: timeoutMs });
  return JSON.parse(stdout) as T;
}

export class ProgramMissing extends Error {}

/**
 * A program in C or Rust that prints a number. It is compiled before its first run, beside the compiled bench.
 *
 * @throws ProgramMissing when the compiler is not installed.
 */
export function nativeProgram(compiler: string, flags: readonly string[], source: string) {
  const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
  const program = pathOf(`dist/${source}.out`);
  let compiled: Promise<void> | undefined;
  const compile = async () => {
    await mkdir(dirname(program), { recursive: true });
    try {
      await run(compiler, [...flags, "-o", program, pathOf(source)]);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      throw new ProgramMissing(`${compiler} is not installed`, { cause: error });
    }
  };
  return async (args: readonly (string | number)[]): Promise<number> => {
    compiled ??= compile();
    await compiled;
    return Number((await run(program, args.map(String))).stdout);
  };
}

/** The last error that a process printed, or the error's own message: one line, without names of folders. */
export function reasonOf(error: unknown): string {
  const { stderr } = Object(error) as { readonly stderr?: unknown };
  const printed = typeof stderr === "string" ? stderr : String(error);
  const lines = printed.split("\n").filter((line) => /^\w*(?:Error|Exception)\b.*: /.test(line));
  const message = error instanceof Error ? error.message.split("\n")[0]! : printed;
  const line = error instanceof ProgramMissing ? message : (lines.at(-1) ?? message);
  return line.replaceAll(/(?:file:\/\/)?(?:\/[^\s/'"]+)+\/([^\s/'"]+)/g, "$1");
}
