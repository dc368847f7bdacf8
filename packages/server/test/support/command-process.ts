import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const BIN = fileURLToPath(new URL("../../bin/tollgate.js", import.meta.url));

/** A process that runs the command. */
export class CommandProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** The exit code; null if a signal ended the process. */
  readonly exited: Promise<number | null>;
  stdout = "";
  stderr = "";

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    // Unlike "exit", "close" comes after all output.
    this.exited = once(child, "close").then(([code]) => code as number | null);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
  }

  /** Waits for a line of the output that matches. */
  async line(pattern: RegExp): Promise<string> {
    for (;;) {
      const line = this.stdout
        .split("\n")
        .slice(0, -1)
        .find((one) => pattern.test(one));
      if (line !== undefined) return line;
      const ended = await Promise.race([
        once(this.child.stdout, "data").then(() => false),
        this.exited.then(() => true),
      ]);
      if (ended) throw new Error(`expected a line like ${pattern}, got ${JSON.stringify(this.stdout + this.stderr)}`);
    }
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }
}

export interface Circumstances {
  /** A module that runs before the command. */
  readonly before?: string;
  /** How many files and sockets the process may have open. */
  readonly mostDescriptors?: number;
}

/** Starts the built command. It is killed when the test has finished. */
function startCommand(args: readonly string[], { before, mostDescriptors }: Circumstances = {}): CommandProcess {
  const preload = before === undefined ? [] : ["--import", `data:text/javascript,${encodeURIComponent(before)}`];
  const limit = mostDescriptors === undefined ? "" : `ulimit -n ${mostDescriptors}; `;
  const child = spawn("sh", ["-c", `${limit}exec "$0" "$@"`, process.execPath, ...preload, BIN, ...args]);
  onTestFinished(() => void child.kill("SIGKILL"));
  return new CommandProcess(child);
}

const READY = /tollgate is listening on (https?:[^ "]+) /;

/** Starts the service in a new process, and waits until it listens. */
export async function startServing(
  args: readonly string[] = [],
  circumstances: Circumstances = {},
): Promise<{ readonly command: CommandProcess; readonly url: string }> {
  const command = startCommand(["serve", "--port", "0", ...args], circumstances);
  const [, url = ""] = READY.exec(await command.line(READY)) ?? [];
  return { command, url };
}

/** How a process of the command ended. */
export interface CommandOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command to its end. */
export async function runCommand(args: readonly string[]): Promise<CommandOutcome> {
  const command = startCommand(args);
  const code = await command.exited;
  return { code, stdout: command.stdout, stderr: command.stderr };
}
