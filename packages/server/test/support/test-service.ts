import { onTestFinished } from "vitest";
import { openLog } from "../../src/log/log.ts";
import { type Service, type ServiceOptions, startService } from "../../src/service.ts";

export interface TestService extends Service {
  readonly log: readonly string[];
  readonly errors: readonly string[];
}

export const ONE_PER_SECOND = { units: 1, per: "1s", text: "1 per second" } as const;

/** A service on any free port, closed when the test is over. */
export async function startTestService(options: Partial<ServiceOptions> = {}): Promise<TestService> {
  const log: string[] = [];
  const errors: string[] = [];
  const output = { out: (line: string) => void log.push(line), error: (line: string) => void errors.push(line) };
  const service = await startService({
    host: "127.0.0.1",
    port: 0,
    capacity: 10,
    refill: ONE_PER_SECOND,
    trustProxy: false,
    sweepInterval: "1m",
    maxConnections: 10_000,
    logDenials: 0,
    requestIds: false,
    admin: undefined,
    graceMs: 0,
    log: openLog(options.requestIds ? "json" : "text", output),
    ...options,
  });
  onTestFinished(() => service.close());
  return { ...service, log, errors };
}
