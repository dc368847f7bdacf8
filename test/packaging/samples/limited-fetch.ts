import assert from "node:assert/strict";
import { createLimiter, perMinute } from "tollgate";
import { DeniedError, limitedFetch } from "tollgate/limited-fetch";

async function main() {
  const limiter = createLimiter({ limits: [perMinute(1)] });
  const answer = () => Promise.resolve(new Response("hello"));
  const politeFetch = limitedFetch(limiter, { fetch: answer, maxWait: 0 });
  assert.equal(await (await politeFetch("http://localhost/")).text(), "hello");
  await assert.rejects(politeFetch("http://localhost/"), DeniedError);
}

void main();
