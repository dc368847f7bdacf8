import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** A client that closes the connection gets no status. nginx logs this one. */
const CLIENT_CLOSED = "499";

const SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Measures how many clients are connected to a server, and how many it refused. */
export function measureConnections(server: Server, registry: Registry): void {
  const registers = [registry];
  const open: Gauge = new Gauge({
    name: "tollgate_http_connections",
    help: "Open connections of clients.",
    registers,
    collect: async () => {
      open.set(await connectionsOf(server));
    },
  });
  const refused = new Counter({
    name: "tollgate_http_refused_connections_total",
    help: "Connections beyond the bound, closed as they came.",
    registers,
  });
  server.on("drop", () => refused.inc());
}

/** Measures the requests of a server, and how long each took. Call it before the server listens. */
export function measureRequests(server: Server, registry: Registry): void {
  const registers = [registry];
  const requests = new Counter({
    name: "tollgate_http_requests_total",
    help: "Requests by the status of their response; 499 if the client closed the connection before.",
    labelNames: ["code"],
    registers,
  });
  const seconds = new Histogram({
    name: "tollgate_http_request_duration_seconds",
    help: "From the head of a request to the end of its response.",
    buckets: SECONDS,
    registers,
  });
  // First, so that the time includes all that other listeners do.
  server.prependListener("request", (_request: IncomingMessage, response: ServerResponse) => {
    const startedMs = performance.now();
    response.once("close", () => {
      requests.inc({ code: response.writableFinished ? String(response.statusCode) : CLIENT_CLOSED });
      seconds.observe((performance.now() - startedMs) / 1_000);
    });
  });
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count ?? 0)));
}
