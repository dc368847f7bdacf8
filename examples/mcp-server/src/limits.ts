import { concurrency, createLimiter, perMinute } from "tollgate";
import type { ToolCall } from "tollgate/mcp";

/** Each user may call each tool three times a minute, and have one report made at a time. */
export const limiter = createLimiter({
  name: "tools",
  key: ({ caller, tool }: ToolCall) => [caller, tool],
  limits: ({ tool }: ToolCall) => (tool === "report" ? REPORT : OTHERS),
});

const OTHERS = [perMinute(3)];
const REPORT = [perMinute(3), concurrency({ max: 1, ttl: "1m" })];
