import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../../../../server/bin/tollgate.js", import.meta.url));
/** The limit is above the rate of a second client and below that of a flood. */
const ARGUMENTS = ["serve", "--port", "0", "--capacity", "2000", "--refill-per-second", "1000"];

/** The service in a process of its own. */
class Service implements AsyncDisposable {
  readonly port: number;
  readonly #process: ChildProcess;

  constructor(process: ChildProcess, port: number) {
    this.#process = process;
    this.port = port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill("SIGKILL");
    await once(this.#process, "exit");
  }
}

/** Starts the service, and resolves when it listens. */
export async function startService(): Promise<Service> {
  const child = spawn(process.execPath, [PROGRAM, ...ARGUMENTS], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  return new Service(child, Number(/:(\d+)\b/.exec(line)?.[1]));
}
