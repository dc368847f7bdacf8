import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePort, SERVICE, serverProcess } from "./processes.ts";

const LOOP_DELAY = new URL("loop-delay.js", import.meta.url).href;
const TOKEN = "token-of-the-bench-of-the-service";

/** The service with a limits file that changes, on all of its ports. */
export class OperatedService {
  readonly port: number;
  readonly grpcPort: number;
  readonly stop: () => Promise<void>;
  readonly #child: ChildProcess;
  readonly #file: string;
  readonly #adminPort: number;
  #onLoaded = (): void => {};

  private constructor(child: ChildProcess, file: string, ports: Readonly<Record<"port" | "grpc" | "admin", number>>) {
    this.#child = child;
    this.#file = file;
    this.#adminPort = ports.admin;
    this.port = ports.port;
    this.grpcPort = ports.grpc;
    this.stop = serverProcess(child, ports.port).stop;
  }

  /** Starts it with the limits of a text of YAML, in a folder of its own. */
  static async start(folder: string, limits: string): Promise<OperatedService> {
    const file = join(folder, "limits.yaml");
    await writeFile(file, limits);
    const tokens = join(folder, "tokens");
    await writeFile(tokens, `${TOKEN}\n`);
    const [port, grpc, admin] = [await freePort(), await freePort(), await freePort()];
    const flags = ["--port", `${port}`, "--grpc-port", `${grpc}`, "--admin-port", `${admin}`, "--limits", file];
    const args = [`--import=${LOOP_DELAY}`, SERVICE, "serve", ...flags, "--admin-token-file", tokens];
    const env = { ...process.env, NODE_ENV: "production" };
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit", "ipc"] });
    const service = new OperatedService(child, file, { port, grpc, admin });
    await new Promise<void>((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`the service ended with ${code}`)));
      createInterface({ input: child.stdout! }).on("line", (line) => {
        if (line.includes("is listening on")) resolve();
        if (line.includes("limits loaded from")) service.#onLoaded();
      });
    });
    return service;
  }

  /** Replaces the limits file, as editors do, and waits until its limits are in force. */
  async changeFile(limits: string): Promise<void> {
    const loaded = new Promise<void>((resolve) => {
      this.#onLoaded = resolve;
    });
    await writeFile(`${this.#file}.new`, limits);
    await rename(`${this.#file}.new`, this.#file);
    await loaded;
  }

  /** Puts limits in force by the admin API. @throws Error when they are refused. */
  async put(limits: string): Promise<void> {
    const url = `http://127.0.0.1:${this.#adminPort}/v1/limits`;
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/yaml", "if-match": "*" };
    const answer = await fetch(url, { method: "PUT", headers, body: limits });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`PUT /v1/limits: expected 200, got ${answer.status}, ${text}`);
  }

  /** The longest time, since it was last asked, for which the event loop was blocked. */
  async longestBlockMs(): Promise<number> {
    const answered = once(this.#child, "message") as Promise<[number]>;
    this.#child.send("read");
    const [ms] = await answered;
    return ms;
  }
}
