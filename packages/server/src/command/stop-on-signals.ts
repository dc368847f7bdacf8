import { constants } from "node:os";
import type { Log } from "../log/log.ts";
import type { Service } from "../service.ts";

const STOP_SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Ctrl-C under `npm start` arrives twice, from the terminal and from npm. Signals within this time are one. */
const SAME_SIGNAL_MS = 250;

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
    await closed;
    process.exit(0);
  };
  for (const signal of STOP_SIGNALS) process.on(signal, () => void stop(signal));
}
