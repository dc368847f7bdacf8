import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

/**
 * Starts the program and waits on a pipe that only the test process holds open. A first line reports that the program
 * has ended, a second that its folder stays. When the pipe closes, the test process is finished or dead, and the
 * guard removes program and folder. The guard reaps the program, so that its process id is not reused early, and
 * survives Ctrl-C.
 */
const GUARD = `
trap '' INT TERM HUP
folder=$1
shift
"$@" 3>&- &
echo $! >&3
exec >/dev/null 2>&1
read -r _ || kill -9 $!
wait
exec 3>&-
read -r _ || rm -rf "$folder" || { sleep 1; rm -rf "$folder"; }
`;

const OUTPUT_LENGTH = 8_000;

/** The pipes of the guards of this process. */
const pipes = new Set<Writable>();

/** A worker of vitest survives a killed vitest, and only sees its channel close. The programs end then. */
function endAllWithTheRunner(): void {
  for (const pipe of pipes) pipe.destroy();
}

/** A program that never outlives the test process. */
export class GuardedProcess {
  readonly pid: number;
  /** Resolves when the program and its sockets are gone. */
  readonly ended: Promise<unknown>;
  readonly #guard: ChildProcessWithoutNullStreams;
  readonly #guardEnded: Promise<unknown>;
  #running = true;
  #output = "";

  private constructor(guard: ChildProcessWithoutNullStreams, pid: number) {
    this.pid = pid;
    this.#guard = guard;
    this.#guardEnded = once(guard, "close");
    this.ended = once(reportsOf(guard).resume(), "close");
    const { stdin, stdout, stderr } = guard;
    // The program holds the pipe, and its sockets may be open for a moment. The guard reports their end.
    stdout.once("close", () => {
      this.#running = false;
      stdin.write("\n");
    });
    for (const stream of [stdout, stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#output = (this.#output + text).slice(-OUTPUT_LENGTH);
      });
    }
  }

  /** Starts the program. `folder` is removed with it. */
  static async start(command: readonly string[], folder: string): Promise<GuardedProcess> {
    const guard = spawn("sh", ["-c", GUARD, "guard", folder, ...command], {
      stdio: ["pipe", "pipe", "pipe", "pipe"],
    });
    const { stdin } = guard;
    // A write error here is expected: the end of the guard is detected otherwise.
    stdin.on("error", () => {});
    if (pipes.size === 0 && process.connected) {
      process.off("disconnect", endAllWithTheRunner).once("disconnect", endAllWithTheRunner);
    }
    pipes.add(stdin);
    guard.once("close", () => pipes.delete(stdin));
    const [line] = (await once(reportsOf(guard), "data")) as [Buffer];
    return new GuardedProcess(guard, Number(line.toString()));
  }

  get isRunning(): boolean {
    return this.#running;
  }

  /** The last part of the program's output. */
  get output(): string {
    return this.#output;
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#running) process.kill(this.pid, signal);
  }

  /** Keeps the folder of an ended program for its next start. */
  leaveFolder(): void {
    this.#guard.stdin.end("\n");
  }

  /** Kills a running program, and removes the folder. */
  async remove(): Promise<void> {
    this.#guard.stdin.end();
    await this.#guardEnded;
  }
}

/** The pipe on which the guard writes the process id, and which closes when the process is gone. */
function reportsOf(guard: ChildProcessWithoutNullStreams): Readable {
  return guard.stdio[3] as Readable;
}
