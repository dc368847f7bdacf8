import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const FIXTURES: string = fileURLToPath(new URL("fixtures", import.meta.url));
const INSTALLED = fileURLToPath(new URL("installed/node_modules", import.meta.url));

/** A runtime that serves the scenarios in `fixtures/scenarios.js` on the built library. */
export interface Runtime {
  readonly name: string;
  /** The program and its arguments. It runs in `fixtures`. */
  readonly command: () => readonly [program: string, ...parameters: string[]];
  /** Reasons to skip cases, by the names of the cases. */
  readonly skips: Readonly<Record<string, string>>;
}

/** The program in the only package of a scope that fits this machine. */
export function programOf(scope: string, path: string): string {
  const folder = join(INSTALLED, scope);
  if (!existsSync(folder)) throw new Error(`${scope} is not installed: run tools/install-apart.sh`);
  const [fitting = "", ...others] = readdirSync(folder);
  if (others.length > 0) throw new Error(`${scope}: expected one package, got ${[fitting, ...others].join(", ")}`);
  return join(folder, fitting, path);
}

export interface Started {
  /** Such as `http://127.0.0.1:34567`. */
  readonly url: string;
  stop(): Promise<void>;
}

/** The environment of every runtime. */
export const ENVIRONMENT: NodeJS.ProcessEnv = {
  ...process.env,
  DENO_DIR: join(INSTALLED, ".cache/deno"),
  DENO_NO_UPDATE_CHECK: "1",
  DO_NOT_TRACK: "1",
  NO_COLOR: "1",
};

/** Starts the server of a runtime. The first line that it prints is its URL. */
export async function start(runtime: Runtime): Promise<Started> {
  const [program, ...parameters] = runtime.command();
  const child: ChildProcess = spawn(program, parameters, {
    cwd: FIXTURES,
    env: ENVIRONMENT,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const exited = once(child, "exit");
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  lines.on("line", (line) => {
    said += `${line}\n`;
  });
  const first = await Promise.race([once(lines, "line"), exited.then(() => [])]);
  const url = String(first[0]);
  if (!url.startsWith("http://")) throw new Error(`${runtime.name} did not start: ${said}`);
  return {
    url,
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
