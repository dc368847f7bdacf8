import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { availableParallelism } from "node:os";
import { rateLimit } from "tollgate/node";
import { sharedStore } from "tollgate/shared";
import { requestLimiter } from "./limits.js";
import { Pool } from "./pool.js";

const store = sharedStore({ maxKeys: 10_000 });
const pool = new Pool(Number(process.env["THREADS"] ?? availableParallelism()), store);
const limit = rateLimit({ limiter: requestLimiter(store) });

/** POST /render?frames=100 with an X-API-Key. */
const server = createServer(
  limit(async (request, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://localhost");
    const frames = Number(searchParams.get("frames") ?? 1);
    if (!Number.isInteger(frames) || frames < 1 || frames > 1_000) {
      response.writeHead(400).end();
      return;
    }
    const { rendered, retryAfterMs } = await pool.run(String(request.headers["x-api-key"] ?? ""), frames);
    if (rendered === 0) response.writeHead(429, { "Retry-After": Math.ceil(retryAfterMs / 1000) });
    response.end(JSON.stringify({ rendered }));
  }),
);
await once(server.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1"), "listening");
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
