import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createConnection } from "node:net";
import { eventuallyTrue } from "../../packages/tollgate/test/stores/redis/servers/eventually.ts";
import { type ReservedPort, reservePort } from "../../packages/tollgate/test/stores/redis/servers/reserved-port.ts";
import { plant, remove, temporaryFolder } from "../support/temporary-folder.ts";
import { programEnvironment, programPath } from "./unpacked-program.ts";

/** The ports of a test, which take the place of those in the documentation. */
export interface Ports {
  readonly proxy: number;
  readonly limiter: number;
  readonly application: number;
  /** For a second listener of the proxy. */
  readonly inner: number;
}

/** A proxy as its page shows it. */
export interface DocumentedProxy {
  readonly name: string;
  /** Its files, by name, with the ports filled in. */
  readonly files: (ports: Ports, folder: string) => Readonly<Record<string, string>>;
  /** The same with the page's line that denies when the limiter is down. */
  readonly denyingFiles: DocumentedProxy["files"];
  /** Files for a proxy that has another one in front, at 127.0.0.1. */
  readonly chainedFiles: DocumentedProxy["files"];
  /** The arguments that start it in the foreground. */
  readonly args: (folder: string) => readonly string[];
}

/** A proxy that runs. */
export class RunningProxy {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  constructor(child: ChildProcess, folder: string, port: number) {
    this.#child = child;
    this.#folder = folder;
    this.url = `http://127.0.0.1:${port}`;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exited = once(this.#child, "exit");
      this.#child.kill("SIGKILL");
      await exited;
    }
    remove(this.#folder);
  }
}

/** Starts a proxy, and waits until it accepts connections. */
export async function startProxy(
  proxy: DocumentedProxy,
  ports: Ports,
  files: DocumentedProxy["files"],
): Promise<RunningProxy> {
  const folder = temporaryFolder();
  plant(folder, files(ports, folder));
  const child = spawn(programPath(proxy.name), proxy.args(folder), {
    cwd: folder,
    env: programEnvironment(folder),
    stdio: ["ignore", "ignore", "pipe"],
  });
  const running = new RunningProxy(child, folder, ports.proxy);
  let said = "";
  // It is read to its end, so that the proxy is never blocked. nginx closes it when it has opened its log.
  (child.stderr as NodeJS.ReadableStream).setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-2_000);
  });
  const failed = once(child, "exit").then(() => {
    throw new Error(`${proxy.name} ended before it was ready: ${said}`);
  });
  failed.catch(() => {});
  try {
    await Promise.race([failed, eventuallyTrue(proxy.name, () => accepts(ports.proxy), { patienceMs: 60_000 })]);
  } catch (error) {
    await running.stop();
    throw error;
  }
  return running;
}

async function accepts(port: number): Promise<boolean> {
  const socket = createConnection(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } finally {
    socket.destroy();
  }
}

/** Ports for a proxy and a limiter. `release` gives them back. */
export async function reservePorts(application: number): Promise<Ports & { readonly release: () => void }> {
  const reserved: ReservedPort[] = [];
  for (let i = 0; i < 3; i += 1) reserved.push(await reservePort());
  const [proxy = 0, limiter = 0, inner = 0] = reserved.map(({ port }) => port);
  const release = () => {
    for (const one of reserved) one.release();
  };
  return { proxy, limiter, inner, application, release };
}
