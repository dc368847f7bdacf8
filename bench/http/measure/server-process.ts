import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { SERVER } from "../paths.ts";
import { HOST } from "../servers/serve.ts";
import type { Variant } from "../variant.ts";

/**
 * With the heap's initial size some rows, by how much they happen to load, run with a slow `process.nextTick` for good: 7 to 10 % of
 * the server's time in Node 20, and with this size none. Probably a full collection during start-up drops what V8 had learnt of it.
 */
export const FLAGS: readonly string[] = ["--initial-heap-size=128"];

/** What the process of a server says. */
export type Said = { readonly port: number } | { readonly cpuUs: number };

/** A server in a process of its own. */
export class ServerProcess {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.url = `http://${HOST}:${port}/`;
  }

  /** @throws Error when it ends before it listens. */
  static async start({ id }: Variant, limit: number): Promise<ServerProcess> {
    const env = { ...process.env, NODE_ENV: "production" };
    const child = fork(SERVER, [id, String(limit)], {
      env,
      execArgv: [...FLAGS],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    const said = await hear(child);
    if ("port" in said) return new ServerProcess(child, said.port);
    throw new Error(`${id}: expected the port it listens on`);
  }

  /** What it has taken of the processors until now, all of its threads together. */
  async cpuUs(): Promise<number> {
    const heard = hear(this.#child);
    this.#child.send("cpu");
    const said = await heard;
    return "cpuUs" in said ? said.cpuUs : Number.NaN;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }
}

async function hear(child: ChildProcess): Promise<Said> {
  let stderr = "";
  const read = (text: Buffer) => {
    stderr += text.toString();
  };
  child.stderr?.on("data", read);
  const over = new AbortController();
  const { signal } = over;
  try {
    const said = once(child, "message", { signal }).then(([message]) => message as Said);
    const closed = once(child, "close", { signal }).then(() => {
      throw Object.assign(new Error("the server ended"), { stderr });
    });
    return await Promise.race([said, closed]);
  } finally {
    over.abort();
    child.stderr?.off("data", read);
  }
}
