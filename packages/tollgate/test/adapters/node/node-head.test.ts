import type { OutgoingHttpHeaders, RequestListener, ServerResponse } from "node:http";
import { createServer } from "node:http2";
import { type NodeHandler, type RateLimitOptions, rateLimit } from "tollgate/node";
import { describe, expect, it } from "vitest";
import { bucketOf, manualLimiter } from "../suite/case.ts";
import { type Answer, send, sendHttp2, sendRaw } from "../suite/client.ts";
import { sessionWith, urlOf } from "../suite/node-server.ts";

type Own = Pick<RateLimitOptions<never>, "exposeHeaders" | "headers">;

const limited = (handler: NodeHandler, capacity = 5, own: Own = {}) =>
  rateLimit({ limiter: manualLimiter([bucketOf(capacity)]).limiter, ...own })(handler);

type WriteHead = (response: ServerResponse) => unknown;

/** Every way in which a handler may send a head with status 201 and two cookies. */
const HEADS: readonly (readonly [string, WriteHead])[] = [
  ["an object", (response) => response.writeHead(201, { "Set-Cookie": ["a=1", "b=2"] })],
  ["a list", (response) => response.writeHead(201, ["Set-Cookie", "a=1", "Set-Cookie", "b=2"])],
  [
    "a list of pairs",
    (response) => {
      const pairs = [
        ["Set-Cookie", "a=1"],
        ["Set-Cookie", "b=2"],
      ];
      return response.writeHead(201, pairs as unknown as OutgoingHttpHeaders);
    },
  ],
  [
    "the status alone",
    (response) => {
      response.setHeader("Set-Cookie", ["a=1", "b=2"]);
      return response.writeHead(201);
    },
  ],
  [
    "nothing",
    (response) => {
      response.setHeader("Set-Cookie", ["a=1", "b=2"]);
      response.statusCode = 201;
    },
  ],
];

describe("the RateLimit headers are sent with the head", () => {
  const ways: readonly (readonly [string, (listener: RequestListener) => Promise<Answer>])[] = [
    ["HTTP/1", async (listener) => send(await urlOf(listener))],
    ["HTTP/2", async (listener) => sendHttp2(await sessionWith(createServer(listener as never)), "/")],
  ];

  describe.each(ways)("over %s", (_version, ask) => {
    it.each(HEADS)("of a response whose head is written with %s", async (_what, writeHead) => {
      const answer = await ask(
        limited((_request, response) => {
          writeHead(response);
          response.end("hello");
        }),
      );
      expect([answer.status, answer.body, answer.headers["set-cookie"]]).toEqual([201, "hello", ["a=1", "b=2"]]);
      expect(answer.headers["ratelimit-policy"]).toBe('"bucket";q=5;w=5');
      expect(answer.headers["ratelimit"]).toBe('"bucket";r=4;t=1');
    });

    it.each<[string, WriteHead]>([
      ["an object", (response) => response.writeHead(200, { rAtElImIt: "own" })],
      ["a list", (response) => response.writeHead(200, ["rAtElImIt", "own"])],
      ["setHeader", (response) => response.setHeader("rAtElImIt", "own")],
      [
        "setHeader before an object",
        (response) => {
          response.setHeader("rAtElImIt", "own");
          response.writeHead(200, { "X-Own": "1" });
        },
      ],
    ])("without replacing the handler's own header in any case: %s", async (_what, write) => {
      const { headers } = await ask(
        limited((_request, response) => {
          write(response);
          response.end();
        }),
      );
      expect([headers["ratelimit"], headers["ratelimit-policy"]]).toEqual(["own", '"bucket";q=5;w=5']);
    });

    it.each<[string, WriteHead, string]>([
      ["nothing", () => {}, ""],
      ["what was set", (response) => response.setHeader("Access-Control-Expose-Headers", "X-Own"), "X-Own, "],
      [
        "what is written",
        (response) => response.writeHead(200, { "access-control-expose-headers": "X-Own" }),
        "X-Own, ",
      ],
    ])("and exposed once beside %s", async (_what, write, own) => {
      const exposeHeaders = true;
      const inner = limited(
        (_request, response) => {
          write(response);
          response.end();
        },
        9,
        { exposeHeaders },
      );
      const { headers } = await ask(limited(inner, 9, { exposeHeaders, headers: ["draft-11", "legacy"] }));
      expect(headers["access-control-expose-headers"]).toBe(
        `${own}RateLimit-Policy, RateLimit, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset`,
      );
    });
  });

  it("with the handler's reason, one line each", async () => {
    const url = await urlOf(
      limited((_request, response) => void response.writeHead(200, "Fine", { "X-Own": "1" }).end("hello")),
    );
    const lines = (await sendRaw(url, "GET / HTTP/1.1\r\nHost: here\r\n\r\n", 1)).split("\r\n");
    expect(lines[0]).toBe("HTTP/1.1 200 Fine");
    expect(lines.filter((line) => /^(ratelimit|x-own)/i.test(line))).toEqual([
      "X-Own: 1",
      'RateLimit-Policy: "bucket";q=5;w=5',
      'RateLimit: "bucket";r=4;t=1',
    ]);
  });

  it("as an object to other code's writeHead, which may not take a list", async () => {
    const seen: unknown[] = [];
    const inner = limited(
      (request, response) => void (request.url === "/" ? response : response.writeHead(200, {})).end(),
    );
    const url = await urlOf((request, response) => {
      const { writeHead } = response;
      response.writeHead = (status: number, headers: unknown) => {
        seen.push(Object.keys(headers as object));
        return writeHead.call(response, status, headers as never);
      };
      inner(request, response);
    });
    await send(`${url}/`);
    await send(`${url}/written`);
    expect(seen).toEqual([1, 2].map(() => ["RateLimit-Policy", "RateLimit"]));
  });

  it("unless the head was sent already", async () => {
    const inner = limited((_request, response) => void response.end("hello"));
    const url = await urlOf((request, response) => {
      response.writeHead(200).write("oh ");
      inner(request, response);
    });
    const answer = await send(url);
    expect([answer.body, answer.headers["ratelimit"]]).toEqual(["oh hello", undefined]);
  });
});
