// A program without a registry of its own (default-registry.test.ts). Prints whether prom-client was loaded, and when.

import { createRequire } from "node:module";
import { createLimiter, perMinute } from "tollgate";
import { hotKeys, instrument } from "tollgate/metrics";

const require = createRequire(import.meta.url);
const isLoaded = () => Object.keys(require.cache).some((file) => file.includes("prom-client"));

const limiter = createLimiter({ name: "api", limits: [perMinute(2, { name: "calls" })] });
hotKeys(limiter);
instrument(limiter, { registry: { registerMetric: () => {}, getSingleMetric: () => {} } });
console.log("without it:", isLoaded());
instrument(limiter);
console.log("with it:", isLoaded());
limiter.allow("ann");
const { register } = await import("prom-client");
console.log((await register.metrics()).split("\n").find((line) => line.startsWith("rate_limit_acquire_total")));
