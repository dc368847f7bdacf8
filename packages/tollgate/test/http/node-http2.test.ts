import { once } from "node:events";
import type { ServerResponse } from "node:http";
import {
  constants,
  createServer,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { type Outcome, rateLimit } from "tollgate/node";
import { afterEach, describe, expect, it } from "vitest";
import { bucketOf, held, left } from "./suite/case.ts";
import { connectHttp2, sendHttp2 } from "./suite/client.ts";
import { until } from "./suite/until.ts";

const servers: Http2Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serve(listener: (request: Http2ServerRequest, response: Http2ServerResponse) => void): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("over HTTP/2", () => {
  it("counts each stream, and tells as over HTTP/1.1", async () => {
    const { limiter } = held([bucketOf(2)]);
    const limited = rateLimit({ limiter })((_request: Http2ServerRequest, response: Http2ServerResponse) => {
      response.end("hello");
    });
    const session = connectHttp2(await serve(limited));
    const answers = await Promise.all([1, 2, 3].map(() => sendHttp2(session, "/ok")));
    session.close();
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 429]);
    const denied = answers.find(({ status }) => status === 429);
    expect(denied?.body).toBe('{"error":"rate limit exceeded","retry_after_secs":1}');
    expect(denied?.headers).toMatchObject({
      "retry-after": "1",
      ratelimit: '"bucket";r=0;t=1',
      "cache-control": "no-store",
    });
  });

  it("breaks off what onDenied began and failed at", async () => {
    const onDenied = (_request: unknown, response: ServerResponse) => {
      response.write("half ");
      throw new Error("no answer");
    };
    const limited = rateLimit({ limiter: held([bucketOf(1)]).limiter, onDenied, reportError: () => {} })(
      (_request: Http2ServerRequest, response: Http2ServerResponse) => void response.end("hello"),
    );
    const session = connectHttp2(await serve(limited));
    await sendHttp2(session, "/");
    await expect(sendHttp2(session, "/")).rejects.toThrow("NGHTTP2_INTERNAL_ERROR");
    session.close();
  });

  it("counts a client that goes while skip is waited for under its own address", async () => {
    const { limiter } = held([bucketOf(9)]);
    let goOn = () => {};
    const skip = () =>
      new Promise<boolean>((resolve) => {
        goOn = () => resolve(false);
      });
    const gone: Promise<unknown>[] = [];
    const limited = rateLimit({ limiter, skip })((_request: Http2ServerRequest, response: Http2ServerResponse) => {
      response.end("hello");
    });
    const url = await serve((request, response) => {
      gone.push(once(response, "close"));
      limited(request, response);
    });
    const session = connectHttp2(url);
    const stream = session.request({ ":path": "/" });
    stream.on("error", () => {});
    await until(() => gone.length === 1, "it is asked");
    stream.close(constants.NGHTTP2_CANCEL);
    session.destroy();
    await gone[0];
    goOn();
    await until(() => left(limiter) === 8, "it is counted");
  });

  it("settles once: whole, in pieces, and broken off", async () => {
    const outcomes: Outcome[] = [];
    const chargeAfter = (_request: unknown, outcome: Outcome) => {
      outcomes.push(outcome);
      return 1;
    };
    let late = () => {};
    const limited = rateLimit({ limiter: held([bucketOf(100)]).limiter, chargeAfter })(
      (request: Http2ServerRequest, response: Http2ServerResponse) => {
        if (request.url === "/late") {
          late = () => {
            response.statusCode = 401;
            response.end("no");
          };
          return;
        }
        response.write("hello ");
        if (request.url === "/ok") response.end("there");
      },
    );
    const session = connectHttp2(await serve(limited));
    await sendHttp2(session, "/ok");
    await until(() => outcomes.length === 1, "the first is told");
    for (const path of ["/part", "/late"]) {
      const stream = session.request({ ":path": path });
      stream.on("error", () => {});
      await new Promise((resolve) => setTimeout(resolve, 30));
      stream.close(constants.NGHTTP2_CANCEL);
      await once(stream, "close");
    }
    await until(() => outcomes.length === 2, "what was begun is told");
    await sendHttp2(session, "/ok");
    await until(() => outcomes.length === 3, "the next is told, and before it nothing of what has no answer yet");
    late();
    await until(() => outcomes.length === 4, "the last is told");
    session.close();
    expect(outcomes).toEqual([
      { status: 200, bytes: 11, completed: true },
      { status: 200, bytes: 6, completed: false },
      { status: 200, bytes: 11, completed: true },
      { status: 401, bytes: 0, completed: false },
    ]);
  });
});
