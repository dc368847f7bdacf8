import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask } from "./ask.ts";
import { eventuallyTrue } from "./eventually.ts";
import { GuardedProcess } from "./guarded-process.ts";
import { type ReservedPort, reservePort } from "./reserved-port.ts";
import type { Argument, Reply } from "./resp.ts";

/** The options of a server for each start. */
type CommandLine = (port: number, folder: string) => readonly string[] | Promise<readonly string[]>;

/** Whether a restarted server has its data. */
export type Data = "kept" | "lost";

/** A process of redis-server with its own port on 127.0.0.1 and its own folder. */
export class RedisServer {
  readonly host = "127.0.0.1";
  readonly folder: string;
  readonly #reserved: ReservedPort;
  readonly #command: readonly string[];
  #process: GuardedProcess;
  #isPaused = false;
  #stopped: Promise<void> | undefined;

  private constructor(reserved: ReservedPort, folder: string, command: readonly string[], process: GuardedProcess) {
    this.#reserved = reserved;
    this.folder = folder;
    this.#command = command;
    this.#process = process;
  }

  /** Resolves when the server replies. The server owns the port from then on. */
  static async start(commandLine: CommandLine, reserved?: ReservedPort): Promise<RedisServer> {
    const itsPort = reserved ?? (await reservePort());
    const folder = await mkdtemp(join(tmpdir(), "tollgate-redis-"));
    const command = ["redis-server", ...(await commandLine(itsPort.port, folder))];
    const server = new RedisServer(itsPort, folder, command, await GuardedProcess.start(command, folder));
    await server.#untilItAnswers();
    return server;
  }

  get port(): number {
    return this.#reserved.port;
  }

  get url(): string {
    return `redis://${this.host}:${this.port}`;
  }

  get pid(): number {
    return this.#process.pid;
  }

  get isRunning(): boolean {
    return this.#process.isRunning;
  }

  /** Whether the server runs and is not paused. */
  get isAnswering(): boolean {
    return this.isRunning && !this.#isPaused;
  }

  /** The last lines of its log. */
  get log(): string {
    return this.#process.output;
  }

  /** Sends a command over a new connection. Throws the error of Redis. */
  async command(...command: readonly Argument[]): Promise<Reply> {
    return ask(this.port, ...command);
  }

  /** The fields of a section of INFO. */
  async info(section: string): Promise<ReadonlyMap<string, string>> {
    const text = String(await this.command("INFO", section));
    return new Map([...text.matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, field = "", value = ""]) => [field, value]));
  }

  /** kill -9. Resolves when the process is gone. It can be restarted. */
  async kill(): Promise<void> {
    this.#process.signal("SIGKILL");
    await this.#process.ended;
    this.#isPaused = false;
  }

  /** SIGSTOP: connections stay open, the kernel accepts new ones, and no command is answered. */
  pause(): void {
    this.#isPaused = true;
    this.#process.signal("SIGSTOP");
  }

  /** SIGCONT */
  resume(): void {
    this.#isPaused = false;
    this.#process.signal("SIGCONT");
  }

  /**
   * Restarts the server on the same port, after kill -9 if it runs. With `"kept"` it saves first if it replies.
   * Otherwise it has the last data on disk: none or old without `--appendonly yes`.
   */
  async restart(data: Data = "lost"): Promise<void> {
    if (data === "kept" && this.isAnswering) await this.command("SAVE");
    await this.kill();
    if (data === "lost") {
      await rm(join(this.folder, "dump.rdb"), { force: true });
      await rm(join(this.folder, "appendonlydir"), { force: true, recursive: true });
    }
    const before = this.#process;
    this.#process = await GuardedProcess.start(this.#command, this.folder);
    before.leaveFolder();
    await this.#untilItAnswers();
  }

  /** Kills the server, paused or not, and removes its folder. */
  async stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    await this.kill();
    await this.#process.remove();
    this.#reserved.release();
  }

  async #untilItAnswers(): Promise<void> {
    await eventuallyTrue(`redis-server on port ${this.port}`, async () => !this.isRunning || (await this.#answers()));
    if (this.isRunning) return;
    await this.stop();
    throw new Error(`redis-server ended before it answered: ${this.log.trim()}`);
  }

  /** Whether this process replies: another server may have taken the port first. */
  async #answers(): Promise<boolean> {
    if ((await this.command("PING")) !== "PONG") return false;
    return (await this.info("server")).get("process_id") === String(this.pid);
  }
}
