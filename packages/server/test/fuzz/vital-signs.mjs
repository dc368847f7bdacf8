/// <reference types="node" />

// Loaded into the service before its own code. It tells the fuzzer what the process keeps after a garbage collection,
// over a socket of its own: the channels of the service's workers are for their primary process.

import { createServer } from "node:net";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";

// The service's threads load it, too. Their memory counts with that of their process.
if (isMainThread) {
  const server = createServer((socket) => {
    globalThis.gc();
    const { heapUsed, external } = process.memoryUsage();
    socket.on("error", () => {});
    socket.end(JSON.stringify({ keptBytes: heapUsed + external, sockets: sockets() }));
  });
  // A worker would otherwise listen by its primary. The fuzzer is no reason for the service to live on.
  server.listen({ path: join(process.env["FUZZ_SIGNS"], `${process.pid}`), exclusive: true }).unref();
}

function sockets() {
  return process.getActiveResourcesInfo().filter((kind) => kind === "TCPSocketWrap").length;
}
