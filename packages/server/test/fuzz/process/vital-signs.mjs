// Loaded into the service before its own code. It tells the fuzzer what the process keeps after a garbage collection.

import { isMainThread } from "node:worker_threads";

// The service's threads load it, too, and have no channel.
if (isMainThread) {
  process.on("message", (id) => {
    globalThis.gc();
    const { heapUsed, external, rss } = process.memoryUsage();
    process.send({ id, keptBytes: heapUsed + external, rssBytes: rss, resources: process.getActiveResourcesInfo() });
  });
  // The fuzzer is no reason for the service to live on.
  process.channel.unref();
}
