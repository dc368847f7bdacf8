import { describe, expect, it } from "vitest";
import { LIMITS, READER, startOperated } from "./operate.ts";

const EXTRA = `${LIMITS}  extra:\n    limits:\n      client: { by: ip, rate: 1/1m }\n`;
const YAML = { "content-type": "application/yaml", "if-match": "*" };

async function start() {
  const operated = await startOperated();
  const { adminUrl, operate, decide } = operated;
  return {
    ...operated,
    put: (text: string) => operate("PUT", "/v1/limits", text, YAML),
    /** So many requests in the domain, of one client. */
    ask: async (times: number) => {
      for (let i = 0; i < times; i += 1) await decide({ domain: "extra", facts: { ip: "192.0.2.1" } });
    },
    /** The counts of calls of a domain. */
    counts: async (domain: string) => {
      const response = await fetch(`${adminUrl}/metrics`, { headers: { authorization: `Bearer ${READER}` } });
      expect(response.status).toBe(200);
      const lines = (await response.text()).split("\n");
      return lines.filter((line) => line.startsWith(`rate_limit_acquire_total{limiter="${domain}/`));
    },
  };
}

const countsOf = (allowed: number, denied: number) => [
  `rate_limit_acquire_total{limiter="extra/client",limit="client.rate",result="allow"} ${allowed}`,
  `rate_limit_acquire_total{limiter="extra/client",limit="client.rate",result="deny"} ${denied}`,
];

describe("a domain that is new while the service runs", () => {
  it("has metrics as soon as an operator puts it, and none when it is gone", async () => {
    const { put, ask, counts, decide } = await start();
    await decide({ facts: { ip: "192.0.2.1" } });
    expect((await put(EXTRA)).status).toBe(200);
    await ask(3);
    expect(await counts("extra")).toEqual(countsOf(1, 2));
    expect((await put(LIMITS)).status).toBe(200);
    expect(await counts("extra")).toEqual([]);
    expect(await counts("api")).toContainEqual(
      expect.stringMatching(/^\S+client",limit="client.rate",result="allow"\} 1$/),
    );
    await put(EXTRA);
    await ask(1);
    expect(await counts("extra")).toEqual(countsOf(0, 1).slice(1));
  });
});
