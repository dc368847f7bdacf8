import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

// Loaded into a server before its own code. It answers each message with the longest time, since the one before, for
// which the event loop was blocked. The server's threads load it, too, and have no channel.

const RESOLUTION_MS = 1;

if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  process.on("message", () => {
    process.send?.(delay.max / 1e6);
    delay.reset();
  });
  process.channel?.unref();
}
