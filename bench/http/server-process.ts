import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { CHILD, STEADY_HEAP } from "../harness/child-process.ts";
import { HOST, type Servers } from "./servers/listen.ts";
import { VARIANTS, type Variant } from "./variants.ts";

export interface ServerOrder {
  readonly id: string;
  /** Requests a day. */
  readonly limit: number;
}

/** A message of a server's process. */
type Reply = { readonly port: number } | { readonly cpuUs: number };

const SERVERS: Readonly<Record<Variant["framework"], () => Promise<{ readonly SERVERS: Servers }>>> = {
  "node:http": () => import("./servers/node.ts"),
  express: () => import("./servers/express.ts"),
  fastify: () => import("./servers/fastify.ts"),
  hono: () => import("./servers/hono.ts"),
  koa: () => import("./servers/koa.ts"),
};

/** Serves in this process. Sends its port, and its processor time whenever it is asked. */
export async function serveVariant({ id, limit }: ServerOrder): Promise<void> {
  const variant = VARIANTS.find((one) => one.id === id);
  if (variant === undefined) throw new Error(`expected the id of a variant, got ${id}`);
  const serve = (await SERVERS[variant.framework]()).SERVERS[variant.front];
  if (serve === undefined) throw new Error(`${id}: expected a server`);
  const reply = (message: Reply) => process.send?.(message);
  reply({ port: await serve(limit) });
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    reply({ cpuUs: user + system });
  });
  process.on("disconnect", () => process.exit());
}

/** A server in its own process, seen from the bench. */
export class ServerProcess {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.url = `http://${HOST}:${port}/`;
  }

  /** @throws Error when the process ends before it listens. */
  static async start(order: ServerOrder): Promise<ServerProcess> {
    const child = fork(CHILD, ["server", JSON.stringify(order)], {
      env: { ...process.env, NODE_ENV: "production" },
      execArgv: [STEADY_HEAP],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    const reply = await nextReply(child);
    if ("port" in reply) return new ServerProcess(child, reply.port);
    throw new Error(`${order.id}: expected its port`);
  }

  /** Processor time of all its threads until now. */
  async cpuUs(): Promise<number> {
    const next = nextReply(this.#child);
    this.#child.send("cpu");
    const reply = await next;
    return "cpuUs" in reply ? reply.cpuUs : Number.NaN;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }
}

async function nextReply(child: ChildProcess): Promise<Reply> {
  let stderr = "";
  const read = (text: Buffer) => {
    stderr += text.toString();
  };
  child.stderr?.on("data", read);
  const over = new AbortController();
  const { signal } = over;
  try {
    const reply = once(child, "message", { signal }).then(([message]) => message as Reply);
    const closed = once(child, "close", { signal }).then(() => {
      throw Object.assign(new Error("the server ended"), { stderr });
    });
    return await Promise.race([reply, closed]);
  } finally {
    over.abort();
    child.stderr?.off("data", read);
  }
}
