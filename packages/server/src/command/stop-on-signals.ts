import { constants } from "node:os";
import type { Log } from "../log/log.ts";
import type { Service } from "../service.ts";

const STOP_SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Ctrl-C under `npm start` arrives twice, from the terminal and from npm. Signals within this time are one. */
const SAME_SIGNAL_MS = 250;

/** Requests in flight have ten seconds. What takes longer than this to close is left open. */
const MOST_STOP_MS = 15_000;

/** The first signal lets requests in flight finish, the second ends the process at once. */
export function stopOnSignals(service: Service, log: Log): void {
  let stoppingSinceMs: number | undefined;
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (stoppingSinceMs !== undefined) {
      if (performance.now() - stoppingSinceMs > SAME_SIGNAL_MS) process.exit(128 + constants.signals[signal]);
      return;
    }
    stoppingSinceMs = performance.now();
    const closed = service.close();
    // After `close` was called: the server accepts no more connections.
    const text = `tollgate is stopping on ${signal}: requests in flight may finish, a second signal does not wait`;
    log({ level: "info", event: "stopping", text, fields: { signal } });
    const late = new Promise<"late">((resolve) => void setTimeout(resolve, MOST_STOP_MS, "late"));
    if ((await Promise.race([closed, late])) === "late") {
      log({ level: "warn", event: "stopped-late", text: `tollgate took longer than ${MOST_STOP_MS} ms to stop` });
    }
    process.exit(0);
  };
  for (const signal of STOP_SIGNALS) process.on(signal, () => void stop(signal));
}
