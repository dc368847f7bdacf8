import { SERVICE_NAMES, type ServiceName } from "../inputs/input.ts";
import { CallConnection } from "../sending/call-connection.ts";
import { FuzzedService, type FuzzedServiceOptions } from "./fuzzed-service.ts";

/** The services of a run, and a connection for calls of gRPC. */
export type Services = Readonly<Record<ServiceName, FuzzedService>> & {
  readonly all: readonly FuzzedService[];
  readonly calls: CallConnection;
};

/** Starts all services, or none. */
export async function startServices(options: Omit<FuzzedServiceOptions, "name">): Promise<Services> {
  const starts = SERVICE_NAMES.map((name) => FuzzedService.start({ ...options, name }));
  const started = await Promise.allSettled(starts);
  const all = started.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const failed = started.find((one) => one.status === "rejected");
  if (failed !== undefined) {
    for (const service of all) service.kill();
    throw failed.reason;
  }
  const byName = Object.fromEntries(all.map((service) => [service.name, service])) as Record<
    ServiceName,
    FuzzedService
  >;
  return { ...byName, all, calls: new CallConnection(byName.envoy.grpcPort) };
}
