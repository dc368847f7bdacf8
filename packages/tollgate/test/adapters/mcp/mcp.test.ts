import { createServer } from "node:http";
import { Client as ClientV2, InMemoryTransport as InMemoryV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as InMemoryV1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as ServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { createMcpHandler, McpServer as ServerV2 } from "@modelcontextprotocol/server";
import { concurrency, createLimiter, perMinute, TollgateError } from "tollgate";
import { limitTools, type ToolCall, type ToolLimitOptions } from "tollgate/mcp";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { urlOf } from "../suite/node-server.ts";

const INFO = { name: "test", version: "1.0.0" };

interface Connected {
  call(tool: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>;
  listTools(): Promise<unknown>;
}

type Tool = (args: unknown) => Promise<string>;

/** A server with a client for each SDK, in memory. */
const CONNECT = {
  "version 1": async (options: ToolLimitOptions<ToolCall>, tools: Record<string, Tool>): Promise<Connected> => {
    const server = new ServerV1(INFO);
    limitTools(server, options);
    for (const [name, tool] of Object.entries(tools)) {
      server.registerTool(name, {}, async (args) => ({ content: [{ type: "text", text: await tool(args) }] }));
    }
    const client = new ClientV1(INFO);
    const [one, other] = InMemoryV1.createLinkedPair();
    await Promise.all([server.connect(one), client.connect(other)]);
    onTestFinished(() => client.close());
    return {
      call: (name, args = {}) => client.callTool({ name, arguments: args }),
      listTools: () => client.listTools(),
    };
  },
  "version 2": async (options: ToolLimitOptions<ToolCall>, tools: Record<string, Tool>): Promise<Connected> => {
    const server = new ServerV2(INFO);
    limitTools(server, options);
    for (const [name, tool] of Object.entries(tools)) {
      server.registerTool(name, {}, async (args) => ({ content: [{ type: "text", text: await tool(args) }] }));
    }
    const client = new ClientV2(INFO);
    const [one, other] = InMemoryV2.createLinkedPair();
    await Promise.all([server.connect(one), client.connect(other)]);
    onTestFinished(() => client.close());
    return {
      call: (name, args = {}) => client.callTool({ name, arguments: args }),
      listTools: () => client.listTools(),
    };
  },
} as const;

const byCallerAndTool = ({ caller, tool }: ToolCall): readonly [string, string] => [caller, tool];
const echo: Tool = async () => "done";
const done = expect.objectContaining({ content: [{ type: "text", text: "done" }] });

describe.each(Object.entries(CONNECT))("tools of the MCP SDK, %s", (_, connect) => {
  it("are limited for each tool, with a denial that the model reads", async () => {
    const clock = manualClock(0);
    const limiter = createLimiter({ key: byCallerAndTool, limits: [perMinute(2)], clock });
    const { call } = await connect({ limiter }, { search: echo, other: echo });
    expect([await call("search"), await call("search"), await call("other")]).toEqual([done, done, done]);
    clock.advance(500);
    expect(await call("search")).toEqual({
      isError: true,
      content: [
        { type: "text", text: "The tool search was not called: rate limit exceeded (exhausted). Try again in 30 s." },
      ],
      _meta: { "tollgate/reason": "exhausted", "tollgate/retryAfterMs": 29_500 },
    });
    clock.advance(29_500);
    expect(await call("search")).toEqual(done);
  });

  it("cost what the option says, and are counted by its input", async () => {
    const limiter = createLimiter({ limits: [perMinute(10)], clock: manualClock(0) });
    const calls: ToolCall[] = [];
    const options: ToolLimitOptions<string> = {
      limiter,
      input: async (toolCall) => {
        calls.push(toolCall);
        return "all";
      },
      cost: ({ tool }) => (tool === "large" ? 9 : 1),
    };
    const { call } = await connect(options as unknown as ToolLimitOptions<ToolCall>, { large: echo, small: echo });
    expect(await call("large", { a: 1 })).toEqual(done);
    expect(calls).toEqual([{ tool: "large", caller: "anonymous", arguments: { a: 1 }, authInfo: undefined }]);
    expect(await call("small")).toEqual(done);
    expect(await call("large")).toMatchObject({ isError: true });
    expect(limiter.peek("all").remaining).toBe(0);
  });

  it("are told not to repeat a call that never passes", async () => {
    const limiter = createLimiter({ key: byCallerAndTool, limits: [perMinute(2)] });
    const { call } = await connect({ limiter, cost: 3 }, { search: echo });
    const text = expect.stringContaining("(cost-over-capacity). It will not pass later either: do not repeat it.");
    expect(await call("search")).toEqual({
      isError: true,
      content: [{ type: "text", text }],
      _meta: { "tollgate/reason": "cost-over-capacity" },
    });
  });

  it("have a place while they run, which is freed when they end, throw, or are unknown", async () => {
    const limiter = createLimiter({
      key: ({ caller }: ToolCall) => caller,
      limits: [concurrency({ max: 1, ttl: "1m" })],
    });
    let finish: (() => void) | undefined;
    const slow: Tool = () => new Promise((resolve) => (finish = () => resolve("done")));
    const fail: Tool = async () => {
      throw new Error("broken");
    };
    const { call } = await connect({ limiter }, { slow, fail, echo });
    const running = call("slow");
    await expect.poll(() => finish).toBeTypeOf("function");
    expect(await call("echo")).toMatchObject({ isError: true });
    finish?.();
    expect(await running).toEqual(done);
    expect(await call("fail")).toMatchObject({ isError: true, content: [{ type: "text", text: "broken" }] });
    await call("unknown").catch(() => undefined);
    expect(await call("echo")).toEqual(done);
  });

  it("are free to list", async () => {
    const limiter = createLimiter({ key: byCallerAndTool, limits: [perMinute(1)] });
    const { call, listTools } = await connect({ limiter }, { search: echo });
    for (let i = 0; i < 3; i += 1) await listTools();
    expect(await call("search")).toEqual(done);
  });
});

const HEADERS = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
const callOf = (id: number) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "search", arguments: {} },
});

describe("tools over HTTP", () => {
  const limiterOf = () => createLimiter({ key: ({ caller }: ToolCall) => caller, limits: [perMinute(2)] });

  it("are counted for each call of a batch, and by the client of the token, version 1", async () => {
    const limiter = limiterOf();
    const url = await urlOf(
      createServer((request, response) => {
        const server = new ServerV1(INFO);
        limitTools(server, { limiter });
        server.registerTool("search", {}, async () => ({ content: [{ type: "text", text: "done" }] }));
        const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
        const clientId = String(request.headers["x-client"]);
        const auth = { token: "t", clientId, scopes: [] };
        const connected = server.connect(transport);
        void connected.then(() => transport.handleRequest(Object.assign(request, { auth }), response));
      }),
    );
    const post = async (client: string, body: unknown) => {
      const init = { method: "POST", headers: { ...HEADERS, "X-Client": client }, body: JSON.stringify(body) };
      const answers = (await (await fetch(url, init)).json()) as { result: { isError?: boolean } }[];
      return [answers].flat().map(({ result }) => result.isError === true);
    };
    expect(await post("ann", [callOf(1), callOf(2), callOf(3)])).toEqual([false, false, true]);
    expect(await post("bob", [callOf(1)])).toEqual([false]);
  });

  it("are counted by the subject of the token, version 2", async () => {
    const limiter = limiterOf();
    const handler = createMcpHandler(() => {
      const server = new ServerV2(INFO);
      limitTools(server, { limiter });
      server.registerTool("search", {}, async () => ({ content: [{ type: "text", text: "done" }] }));
      return server;
    });
    const ask = async (sub: string) => {
      const body = JSON.stringify(callOf(1));
      const request = new Request("http://localhost/mcp", { method: "POST", headers: HEADERS, body });
      const authInfo = { token: "t", clientId: "app", scopes: [], extra: { sub } };
      return (await (await handler.fetch(request, { authInfo })).text()).includes('"isError":true');
    };
    expect([await ask("ann"), await ask("ann"), await ask("ann"), await ask("bob")]).toEqual([
      false,
      false,
      true,
      false,
    ]);
  });
});

describe("limitTools", () => {
  const limiter = createLimiter({ key: byCallerAndTool, limits: [perMinute(1)] });

  it.each([new ServerV1(INFO), new ServerV2(INFO)])("refuses a server that has tools already", (server) => {
    (server as ServerV1).registerTool("search", {}, () => ({ content: [] }));
    expect(() => limitTools(server, { limiter })).toThrow("call limitTools before registerTool");
  });

  it.each<[unknown, unknown, string]>([
    [{}, { limiter }, "limitTools: expected an McpServer of the MCP SDK"],
    [undefined, { limiter }, "limitTools: expected an McpServer of the MCP SDK"],
    [new ServerV1(INFO), { limiter: {} }, "limiter: expected one made by createLimiter or combine"],
    [new ServerV1(INFO), { limiter, inputs: 1 }, "inputs"],
    [new ServerV1(INFO), { limiter, input: 1 }, "input: expected a function of the call"],
    [new ServerV1(INFO), { limiter, cost: -1 }, "cost"],
    [new ServerV1(INFO), { limiter: createLimiter({ limits: [perMinute(1)] }) }, "key function of a tool call"],
  ])("says what it expected", (server, options, message) => {
    const limit = () => limitTools(server as ServerV1, options as ToolLimitOptions<ToolCall>);
    expect(limit).toThrow(TollgateError);
    expect(limit).toThrow(message);
  });
});
