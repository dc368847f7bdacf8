import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** An example that runs as a process of its own. */
export class AppProcess {
  /** The lines that it has printed. */
  readonly lines: readonly string[];
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  private constructor(child: ChildProcess, lines: readonly string[], exited: Promise<unknown>) {
    this.#child = child;
    this.lines = lines;
    this.#exited = exited;
  }

  /** Resolves when the example has printed its first line. */
  static async start(folder: string, entry: string, env: NodeJS.ProcessEnv = {}): Promise<AppProcess> {
    const child = spawn(process.execPath, [join("dist", `${entry}.js`)], {
      cwd: folder,
      env: { PATH: process.env["PATH"], PORT: "0", ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const printed: string[] = [];
    const output = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    output.on("line", (line) => void printed.push(line));
    const exited = once(child, "exit");
    await Promise.race([once(output, "line"), exited]);
    if (printed.length === 0) throw new Error(`${folder}: ${entry} ended before it was ready`);
    return new AppProcess(child, printed, exited);
  }

  /** Servers print their URL first. */
  get url(): string {
    return this.lines[0] ?? "";
  }

  /** Sends a signal, and waits for the next line. */
  async signal(name: NodeJS.Signals): Promise<string> {
    const { length } = this.lines;
    this.#child.kill(name);
    while (this.lines.length === length) await new Promise((resolve) => setTimeout(resolve, 2));
    return this.lines[length] ?? "";
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    const late = setTimeout(() => this.#child.kill("SIGKILL"), 5_000);
    await this.#exited;
    clearTimeout(late);
  }
}
