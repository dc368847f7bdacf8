import { concurrency, createLimiter, type Limit, perMinute } from "tollgate";
import { type HeaderForm, rateLimit } from "tollgate/fetch";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";

const STREAMS = concurrency({ name: "streams", max: 1, ttl: "30s" });
const NAMES = [
  "ratelimit-policy",
  "ratelimit",
  "ratelimit-limit",
  "ratelimit-remaining",
  "ratelimit-reset",
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
  "retry-after",
];

/** The headers about limits of a request that takes the only place, and of one that is denied. */
async function headersIn(form: HeaderForm, limits: readonly Limit[]): Promise<Record<string, string>[]> {
  const clock = manualClock(1_790_000_000_000);
  const limiter = createLimiter({ key: () => "all", limits: [...limits], clock });
  const handle = rateLimit({ limiter, headers: form })(() => new Response("hello"));
  const responses = [await handle(new Request("http://here.example"))];
  clock.advance(1_000);
  responses.push(await handle(new Request("http://here.example")));
  expect(responses.map(({ status }) => status)).toEqual([200, 429]);
  return responses.map(({ headers }) => Object.fromEntries([...headers].filter(([name]) => NAMES.includes(name))));
}

describe("the headers of a limit on concurrency", () => {
  it("tell no window and no reset in the form of draft 11, where they count concurrent requests", async () => {
    const policy = '"streams";q=1;qu="concurrent-requests"';
    expect(await headersIn("draft-11", [STREAMS])).toEqual([
      { "ratelimit-policy": policy, ratelimit: '"streams";r=0' },
      { "ratelimit-policy": policy, ratelimit: '"streams";r=0', "retry-after": "29" },
    ]);
  });

  it("tell the other policies alone in the forms that require a window", async () => {
    expect(await headersIn("draft-7", [STREAMS])).toEqual([
      { ratelimit: "limit=1, remaining=0, reset=30" },
      { ratelimit: "limit=1, remaining=0, reset=29", "retry-after": "29" },
    ]);
    expect((await headersIn("draft-7", [STREAMS, perMinute(60)]))[0]).toEqual({
      "ratelimit-policy": "60;w=60",
      ratelimit: "limit=1, remaining=0, reset=30",
    });
    expect(await headersIn("draft-6", [STREAMS])).toEqual([
      { "ratelimit-limit": "1", "ratelimit-remaining": "0", "ratelimit-reset": "30" },
      { "ratelimit-limit": "1", "ratelimit-remaining": "0", "ratelimit-reset": "29", "retry-after": "29" },
    ]);
  });

  it("tell when a place frees itself at the latest in the legacy form", async () => {
    expect(await headersIn("legacy", [STREAMS])).toEqual([
      { "x-ratelimit-limit": "1", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1790000030" },
      {
        "retry-after": "29",
        "x-ratelimit-limit": "1",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": "1790000030",
      },
    ]);
  });
});
