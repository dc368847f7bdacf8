import { setTimeout } from "node:timers/promises";
import { serve } from "@hono/node-server";
import { type AuthInfo, createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { limitTools } from "tollgate/mcp";
import { limiter } from "./limits.js";

/** In place of the tokens of an identity provider. */
const USERS = new Map([
  ["ann's token", "ann"],
  ["bob's token", "bob"],
]);

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "reports", version: "1.0.0" });
  // Before the tools: it sees those that come after it.
  limitTools(server, { limiter });
  server.registerTool("today", { description: "Today's date" }, () => textOf(new Date().toDateString()));
  server.registerTool("report", { description: "Makes a report" }, async () => {
    await setTimeout(200);
    return textOf("3 pages");
  });
  return server;
});

function textOf(text: string): { content: { type: "text"; text: string }[] } {
  return { content: [{ type: "text", text }] };
}

function authInfoOf(request: Request): AuthInfo | undefined {
  const token = request.headers.get("authorization")?.replace(/^Bearer /, "") ?? "";
  const sub = USERS.get(token);
  return sub === undefined ? undefined : { token, clientId: "example", scopes: [], extra: { sub } };
}

async function answer(request: Request): Promise<Response> {
  const authInfo = authInfoOf(request);
  return authInfo === undefined ? new Response(null, { status: 401 }) : handler.fetch(request, { authInfo });
}

serve({ fetch: answer, port: Number(process.env["PORT"] ?? 3000) }, ({ port }) => {
  console.log(`http://localhost:${port}/mcp`);
});
