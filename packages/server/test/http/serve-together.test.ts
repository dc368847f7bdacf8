import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { beforeEach, expect, it } from "vitest";
import { serveTogether } from "../../src/http/serve-together.ts";

const response = {} as ServerResponse;

let requests: readonly IncomingMessage[];
beforeEach(() => {
  requests = ["/1", "/2", "/3"].map((url) => ({ url, destroyed: false }) as IncomingMessage);
});

it("serves many in the same turn, in order, and lets promises go on between groups", async () => {
  const served: (string | undefined)[] = [];
  let asWell = 0;
  let mostWaiting = 0;
  const listener = serveTogether(({ url }) => {
    served.push(url);
    asWell += 1;
    mostWaiting = Math.max(mostWaiting, asWell);
    queueMicrotask(() => {
      asWell -= 1;
    });
  });
  const urls = Array.from({ length: 50 }, (_, i) => `/${i}`);
  for (const url of urls) listener({ url, destroyed: false } as IncomingMessage, response);
  await turn();
  expect(served).toEqual(urls);
  expect(mostWaiting).toBe(8);
});

it("serves a request that arrives while others are served in the next turn", async () => {
  const served: (string | undefined)[] = [];
  const listener = serveTogether(({ url }, given) => {
    served.push(url);
    if (url === "/1") listener(requests[1]!, given);
  });
  listener(requests[0]!, response);
  await turn();
  expect(served).toEqual(["/1"]);
  await turn();
  expect(served).toEqual(["/1", "/2"]);
});

it("does not serve a request whose client has gone", async () => {
  const served: (string | undefined)[] = [];
  const listener = serveTogether(({ url }) => void served.push(url));
  for (const request of requests) listener(request, response);
  Object.assign(requests[1]!, { destroyed: true });
  await turn();
  expect(served).toEqual(["/1", "/3"]);
});
