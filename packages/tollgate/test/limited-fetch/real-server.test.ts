import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createLimiter, fixedWindow, perSecond } from "tollgate";
import { limitedFetch } from "tollgate/limited-fetch";
import { type HeaderForm, rateLimit } from "tollgate/node";
import { describe, expect, it } from "vitest";

const FORMS: readonly HeaderForm[] = ["draft-11", "draft-7", "draft-6", "legacy"];

/** A server that admits two requests in each second, and tells so in one form. */
async function serve(form: HeaderForm) {
  const limiter = createLimiter({
    key: () => "all",
    limits: [fixedWindow({ limit: 2, window: "1s", anchor: "first-use" })],
  });
  const limit = rateLimit({ limiter, headers: [form] });
  const statuses: number[] = [];
  const server = createServer((request, response) => {
    response.on("finish", () => statuses.push(response.statusCode));
    limit((_, answer) => void answer.end("hello"))(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise((resolve) => server.close(resolve));
  return { url: `http://127.0.0.1:${port}/`, statuses, close };
}

// Most of the time they wait for windows to end.
describe.concurrent("limitedFetch and a server that limits with Tollgate", () => {
  it.each(FORMS)("sends on when the server says so, by headers of %s", async (form) => {
    const { url, statuses, close } = await serve(form);
    const politeFetch = limitedFetch(createLimiter({ limits: [perSecond(1_000)] }), { retries: 3 });
    const texts: string[] = [];
    // One after another, so that each answer is known before the next request is sent.
    for (let i = 0; i < 3; i += 1) texts.push(await (await politeFetch(url)).text());
    await close();
    expect([texts, statuses.filter((status) => status === 200).length]).toEqual([["hello", "hello", "hello"], 3]);
    // The server says when its limit is used up, so it need not deny more than a request that came a moment early.
    expect(statuses.filter((status) => status === 429).length).toBeLessThanOrEqual(1);
  });

  it("gets through by repeating what was denied, where many are sent at once", async () => {
    const { url, statuses, close } = await serve("draft-11");
    const politeFetch = limitedFetch(createLimiter({ limits: [perSecond(1_000)] }), { retries: 10 });
    const answers = await Promise.all(Array.from({ length: 4 }, () => politeFetch(url)));
    await Promise.all(answers.map((answer) => answer.text()));
    await close();
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(statuses.filter((status) => status === 200).length).toBe(4);
  });
});
