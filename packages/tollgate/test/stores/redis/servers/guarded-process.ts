import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

/**
 * Starts the program and waits on a pipe that only the test process holds open. A line there says first that the program has
 * ended, and then that its folder is to stay; the end of the pipe, that the test process needs neither or has ended itself, by
 * whatever cause: then the program and its folder go. The guard reaps the program, so that the number of the process is not given
 * to another one before, and outlives Ctrl-C, which reaches it as well.
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

/**
 * A worker of vitest lives on when vitest is killed, and only sees the channel to it close. The programs end then; the
 * worker's own tests find that out.
 */
function endAllWithTheRunner(): void {
  for (const pipe of pipes) pipe.destroy();
}

/** A program that does not outlive the test process, however that ends. */
export class GuardedProcess {
  readonly pid: number;
  /** Resolves when the program is gone, with all that it held. */
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
    // Only the program holds it by now. Its sockets may be open for a moment still: the guard says when that is over.
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

  /** Starts it; `folder` is removed with it. */
  static async start(command: readonly string[], folder: string): Promise<GuardedProcess> {
    const guard = spawn("sh", ["-c", GUARD, "guard", folder, ...command], {
      stdio: ["pipe", "pipe", "pipe", "pipe"],
    });
    const { stdin } = guard;
    // A pipe whose reader has gone is no news: the end of the guard is heard of anyway.
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

  /** The last of what it wrote. */
  get output(): string {
    return this.#output;
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#running) process.kill(this.pid, signal);
  }

  /** After the end of the program: leaves the folder to another one. */
  leaveFolder(): void {
    this.#guard.stdin.end("\n");
  }

  /** Ends the program if it runs, and removes the folder. */
  async remove(): Promise<void> {
    this.#guard.stdin.end();
    await this.#guardEnded;
  }
}

/** Where the guard says the number of the process, and by closing it that the process is gone. */
function reportsOf(guard: ChildProcessWithoutNullStreams): Readable {
  return guard.stdio[3] as Readable;
}
