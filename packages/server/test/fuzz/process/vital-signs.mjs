// Loaded into the service before its own code. It tells the fuzzer what the process keeps after a garbage collection.
process.on("message", (id) => {
  globalThis.gc();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send({ id, keptBytes: heapUsed + external, rssBytes: rss, resources: process.getActiveResourcesInfo() });
});
// The fuzzer is no reason for the service to live on.
process.channel.unref();
