import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

const PROGRAM = "redis-server";

/** A Redis of its own for one test, without a file. */
export class RedisProcess {
  readonly port: number;
  readonly #folder: string;
  #child: ChildProcess | undefined;

  constructor(port: number, folder: string) {
    this.port = port;
    this.#folder = folder;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const options = ["--port", String(this.port), "--bind", "127.0.0.1", "--save", "", "--dir", this.#folder];
    const child = spawn(PROGRAM, options, { stdio: ["ignore", "pipe", "inherit"] });
    this.#child = child;
    for await (const line of createInterface({ input: child.stdout })) if (/ready to accept/i.test(line)) break;
    child.stdout.resume();
  }

  /** Keeps its connections, and answers no more. */
  freeze(): void {
    this.#child?.kill("SIGSTOP");
  }

  /** Ends a freeze. */
  thaw(): void {
    this.#child?.kill("SIGCONT");
  }

  /** Ends it at once. What it counted is gone. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}

/** Starts a Redis that is killed when the test is over. */
export async function startRedis(): Promise<RedisProcess> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-redis-"));
  const redis = new RedisProcess(await freePort(), folder);
  onTestFinished(async () => {
    await redis.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  await redis.start();
  return redis;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
