import { onTestFinished } from "vitest";
import type { DemoSettings } from "../../src/demo/demo.ts";
import { openLog } from "../../src/log/log.ts";
import { type Service, type ServiceOptions, startService } from "../../src/service.ts";

export interface TestService extends Service {
  readonly log: readonly string[];
  readonly errors: readonly string[];
}

export const ONE_PER_SECOND = { units: 1, per: "1s", text: "1 per second" } as const;

/** Options of the service, and numbers of the demo. */
export type TestOptions = Partial<ServiceOptions> & Partial<Omit<DemoSettings, "kind">>;

/** A service on any free port, closed when the test is over. */
export async function startTestService(options: TestOptions = {}): Promise<TestService> {
  const { capacity = 10, refill = ONE_PER_SECOND, sweepInterval = "1m", ...others } = options;
  const log: string[] = [];
  const errors: string[] = [];
  const output = { out: (line: string) => void log.push(line), error: (line: string) => void errors.push(line) };
  const service = await startService({
    host: "127.0.0.1",
    port: 0,
    application: { kind: "demo", capacity, refill, sweepInterval },
    grpcPort: undefined,
    trustProxy: false,
    maxConnections: 10_000,
    headersMs: 5_000,
    logDenials: 0,
    requestIds: false,
    admin: undefined,
    tls: undefined,
    graceMs: 0,
    log: openLog(options.requestIds ? "json" : "text", output),
    ...others,
  });
  onTestFinished(() => service.close());
  return { ...service, log, errors };
}
