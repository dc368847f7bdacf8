import { serve } from "@hono/node-server";
import { createGateway } from "./gateway.js";

const gateway = createGateway(process.env["UPSTREAM_URL"] ?? "http://127.0.0.1:8080/v1/chat/completions");
serve({ fetch: gateway.fetch, hostname: "127.0.0.1", port: Number(process.env["PORT"] ?? 3000) }, ({ port }) => {
  console.log(`http://127.0.0.1:${port}`);
});
