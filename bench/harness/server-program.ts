import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";

export const HOST = "127.0.0.1";

/** Starts a database server, which ends with the bench, as its folder does. Resolves when it accepts connections. */
export async function startProgram(command: readonly string[], folder: string): Promise<ChildProcess> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  process.once("exit", () => {
    child.kill("SIGINT");
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
  let printed = "";
  await new Promise<void>((resolve, reject) => {
    const read = (text: Buffer) => {
      printed += String(text);
      if (/ready to accept connections/i.test(printed)) resolve();
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", () => reject(new Error(`${program} ended: ${printed}`)));
  });
  return child;
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, HOST), "listening");
  const { port } = server.address() as AddressInfo;
  await once(server.close(), "close");
  return port;
}
