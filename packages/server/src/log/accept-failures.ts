import type { Server } from "node:http";
import type { Log } from "./log.ts";

/** Logs that a connection could not be accepted, such as for lack of file descriptors. Other connections go on. */
export function logAcceptFailures(server: Server, log: Log, what: "a connection" | "an admin connection"): void {
  server.on("error", ({ message }) =>
    log({ level: "error", event: "accept-failed", text: `accepting ${what} failed: ${message}` }),
  );
}
