import type { ServiceName } from "../inputs/service-kinds.ts";
import { FuzzedService, type FuzzedServiceOptions } from "./fuzzed-service.ts";

/** The services of a run. */
export class Services {
  readonly all: readonly FuzzedService[];

  private constructor(all: readonly FuzzedService[]) {
    this.all = all;
  }

  /** Starts all of them, or none. */
  static async start(names: readonly ServiceName[], options: Omit<FuzzedServiceOptions, "name">): Promise<Services> {
    const started = await Promise.allSettled(names.map((name) => FuzzedService.start({ ...options, name })));
    const services = new Services(started.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])));
    const failed = started.find((one) => one.status === "rejected");
    if (failed === undefined) return services;
    services.kill();
    throw failed.reason;
  }

  get(name: ServiceName): FuzzedService {
    const found = this.all.find((service) => service.name === name);
    if (found === undefined) throw new Error(`expected a service of this run, got ${name}`);
    return found;
  }

  kill(): void {
    for (const service of this.all) service.kill();
  }
}
