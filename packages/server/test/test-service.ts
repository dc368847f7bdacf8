import { onTestFinished } from "vitest";
import { type Service, type ServiceOptions, startService } from "../src/service.ts";

export interface TestService extends Service {
  readonly log: readonly string[];
  readonly errors: readonly string[];
}

/** A service on any free port, closed when the test is over. */
export async function startTestService(options: Partial<ServiceOptions> = {}): Promise<TestService> {
  const log: string[] = [];
  const errors: string[] = [];
  const service = await startService({
    host: "127.0.0.1",
    port: 0,
    capacity: 10,
    refillPerSecond: 1,
    trustProxy: false,
    graceMs: 0,
    log: (line) => void log.push(line),
    logError: (line) => void errors.push(line),
    ...options,
  });
  onTestFinished(() => service.close());
  return { ...service, log, errors };
}
