import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { NodeHandler } from "tollgate/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { guarded } from "../../src/http/failure.ts";
import { readText } from "../../src/http/read-text.ts";
import { call } from "../support/call.ts";
import { openConnection } from "../support/connection.ts";
import { startTestService } from "../support/test-service.ts";

const NOTHING_OF_THE_INSIDE = {
  status: 500,
  headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
  body: '{"error":"internal server error"}',
};

describe("a failure of the service's limiter", () => {
  it("gives the client 500 without details, and the log one line", async () => {
    let works = true;
    const now = (): number => {
      if (works) return 0;
      throw new Error("the clock\nfell over");
    };
    const { url, errors, log } = await startTestService({ clock: { now } });
    works = false;
    expect(await call(`${url}/ping?secret=1`)).toMatchObject(NOTHING_OF_THE_INSIDE);
    expect(errors).toEqual(["GET /ping failed: Error: the clock fell over"]);
    expect(log).toEqual([]);

    works = true;
    expect((await call(url)).status).toBe(200);
  });
});

describe("a failure of a guarded handler", () => {
  /** Serves a failing handler. @returns the URL and the logged errors. */
  async function serve(handler: NodeHandler): Promise<{ url: string; logged: unknown[] }> {
    const logged: unknown[] = [];
    const server = createServer(guarded(handler, (error) => logged.push(error)));
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, logged };
  }

  it("gives the client 500 later", async () => {
    const error = new Error("later");
    const { url, logged } = await serve(() => Promise.reject(error));
    expect(await call(url)).toMatchObject(NOTHING_OF_THE_INSIDE);
    expect(logged).toEqual([error]);
  });

  it("in the middle of the response breaks the response off", async () => {
    const { url, logged } = await serve((_request, response) => {
      response.writeHead(200, { "content-length": 100 });
      response.write("half");
      throw new Error("halfway");
    });
    const connection = await openConnection(url);
    connection.send("GET / HTTP/1.1\r\nHost: service\r\n\r\n");
    await connection.closed;
    expect(connection.received).not.toContain("500");
    expect(logged).toHaveLength(1);
  });

  it("is not logged when its client hangs up in the middle of a body", async () => {
    const handlers = new EventEmitter();
    const { url, logged } = await serve(async (request) => {
      handlers.emit("reading");
      await readText(request, 1_000).finally(() => handlers.emit("over"));
    });
    const reading = once(handlers, "reading");
    const over = once(handlers, "over");
    const connection = await openConnection(url);
    connection.send("POST / HTTP/1.1\r\nHost: service\r\nContent-Length: 10\r\n\r\nhalf");
    await reading;
    connection.socket.destroy();
    await over;
    await nextTurn();
    expect(logged).toEqual([]);
  });
});
