import { Registry } from "prom-client";
import { createLimits, type Facts } from "tollgate/config";
import { manualClock } from "tollgate/testing";
import { expect, it, onTestFinished, vi } from "vitest";
import { measureLimiter } from "../../src/admin/limiter-metrics.ts";

it("the metrics of a domain's limiter have the tokens of the rules that denied, by their keys", async () => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  const limits = createLimits(
    {
      version: 1,
      trustedHeaders: ["plan"],
      domains: {
        api: {
          limits: {
            all: { by: "ip", rate: "1000000/1m" },
            client: { by: "ip", rate: "3/1m" },
            page: { by: ["ip", "path"], rate: "5/1m", plans: { from: "header.plan", is: { free: { rate: "2/1m" } } } },
          },
        },
      },
    },
    { clock: manualClock() },
  );
  const limiter = limits.limiter("api");
  const registry = new Registry();
  const close = measureLimiter(limiter, registry);
  onTestFinished(close);
  // The denied keys are a sample of the calls.
  const many = (facts: Facts) => {
    for (let i = 0; i < 2_000; i += 1) limiter.allow(facts);
  };
  many({ ip: "192.0.2.1" });
  many({ ip: "192.0.2.2", path: "/[a", header: { plan: "free" } });
  const text = await registry.metrics();
  const tokens = text.match(/^rate_limit_tokens\{.*$/gm) ?? [];
  expect(tokens.toSorted()).toEqual([
    'rate_limit_tokens{limiter="api/client",limit="client.rate",key="192.0.2.1"} 0',
    String.raw`rate_limit_tokens{limiter="api/page",limit="page.rate",key="[\"192.0.2.2\",\"/[a\"]"} 0`,
  ]);
  expect(warned).not.toHaveBeenCalled();
});
