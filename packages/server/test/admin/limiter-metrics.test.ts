import { Registry } from "prom-client";
import { createLimits } from "tollgate/config";
import { manualClock } from "tollgate/testing";
import { expect, it, onTestFinished, vi } from "vitest";
import { measureLimiter } from "../../src/admin/limiter-metrics.ts";

it("the metrics of a domain's limiter leave out the tokens of keys, which depend on the request", async () => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  const limits = createLimits(
    { version: 1, domains: { api: { limits: { client: { by: "ip", rate: "1/1m" } } } } },
    { clock: manualClock() },
  );
  const limiter = limits.limiter("api");
  const registry = new Registry();
  const close = measureLimiter(limiter, registry);
  onTestFinished(() => {
    close();
    warned.mockRestore();
  });
  // The denied keys are a sample of the calls.
  for (let i = 0; i < 20_000; i += 1) limiter.allow({ ip: "192.0.2.1" });
  const text = await registry.metrics();
  expect(text).toContain('rate_limit_acquire_total{limiter="api/client",limit="client.rate",result="deny"} 19999');
  expect(text).not.toContain("rate_limit_tokens{");
  expect(warned).not.toHaveBeenCalled();
});
