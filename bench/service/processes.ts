import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { CHILD, ProgramMissing, STEADY_HEAP } from "../harness/child-process.ts";

/** A server in a process of its own. */
export interface ServerProcess {
  readonly port: number;
  /** The processor time of all its threads until now. */
  cpuUs(): Promise<number>;
  /** What it has of the machine's memory, as of now. */
  memoryBytes(): Promise<number>;
  stop(): Promise<void>;
}

const pathOf = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** The program of the service. */
export const SERVICE: string = pathOf("packages/server/bin/tollgate.js");

/** The service, whose limit admits everything, and whose buckets are not full again before the next request. */
export async function startService(): Promise<ServerProcess> {
  const flags = ["--port", "0", "--capacity", "100000000", "--refill", "1/1s"];
  const child = startNode([SERVICE, "serve", ...flags]);
  return serverProcess(child, await portSaidBy(child));
}

/** The service with a directory of limits. */
export async function startLimits(limits: string): Promise<ServerProcess> {
  const flags = ["--port", "0", "--limits", limits, "--max-keys", "1048576"];
  // Its memory is measured, so it gets no large heap.
  const child = startNode([SERVICE, "serve", ...flags], []);
  return serverProcess(child, await portSaidBy(child));
}

/** The same, asked over gRPC. */
export async function startGrpcLimits(limits: string): Promise<ServerProcess> {
  const port = await freePort();
  const flags = ["--port", "0", "--grpc-port", `${port}`, "--limits", limits];
  const child = startNode([SERVICE, "serve", ...flags]);
  await portSaidBy(child);
  return serverProcess(child, port);
}

/** A server that answers as the service does, and decides nothing. */
export async function startBare(what: "check" | "decide" | "grpc"): Promise<ServerProcess> {
  const child = startNode([CHILD, `bare ${what}`, "{}"]);
  return serverProcess(child, await portSaidBy(child));
}

/** nginx as its page shows it, in front of a limiter and an application. */
export async function startNginx(limiter: number, application: number): Promise<ServerProcess> {
  const page = await readFile(pathOf("docs/proxies/nginx.md"), "utf8");
  const shown = /```nginx\n(.*?)```/s.exec(page)?.[1] ?? "";
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), "tollgate-bench-"));
  const filled = shown.replace(":3000", `:${limiter}`).replace(":4000", `:${application}`).replace("8080", `${port}`);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const paths = temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join("\n");
  const http = `http {\naccess_log off;\nkeepalive_requests 1000000000;\n${paths}\n${filled}\n}\n`;
  await writeFile(join(folder, "nginx.conf"), `daemon off;\nmaster_process off;\npid pid;\nevents {}\n${http}`);
  const child = spawn(programPath("nginx"), ["-p", folder, "-c", "nginx.conf", "-e", "error.log"], { stdio: "ignore" });
  const server = serverProcess(child, port);
  await untilAccepting(port);
  const stop = async (): Promise<void> => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { ...server, stop };
}

function startNode(args: readonly string[], flags: readonly string[] = [STEADY_HEAP]): ChildProcess {
  const env = { ...process.env, NODE_ENV: "production" };
  return spawn(process.execPath, [...flags, ...args], { env, stdio: ["ignore", "pipe", "inherit"] });
}

/** Servers print their URL first. @throws Error when the process ends before. */
async function portSaidBy(child: ChildProcess): Promise<number> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error("the server ended before it was ready");
}

/** A process that has started. */
export function serverProcess(child: ChildProcess, port: number): ServerProcess {
  return {
    port,
    cpuUs: () => cpuUsOf(child.pid!),
    memoryBytes: () => memoryBytesOf(child.pid!),
    async stop() {
      const ended = once(child, "exit");
      if (child.kill("SIGKILL")) await ended;
    },
  };
}

/** The kernel counts in hundredths of a second, wherever it runs. */
const TICK_US = 10_000;

/** From the fields 14 and 15 of `/proc/PID/stat`, behind the name of the program, which may have spaces. */
async function cpuUsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

/** From the line `VmRSS` of `/proc/PID/status`. */
async function memoryBytesOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
}

/** @throws ProgramMissing when it is neither installed nor unpacked by `tools/unpack-for-tests.sh`. */
function programPath(name: string): string {
  const folders = [pathOf("test/proxies/installed/usr/sbin"), "/usr/sbin"];
  const path = process.env["PATH"]?.split(delimiter) ?? [];
  const found = [...folders, ...path].map((folder) => join(folder, name)).find((one) => existsSync(one));
  if (found === undefined) throw new ProgramMissing(`${name} is not installed`);
  return found;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

async function untilAccepting(port: number): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      await fetch(`http://127.0.0.1:${port}/`);
      return;
    } catch (error) {
      if (tries === 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
