/** A service that runs while inputs are sent. */
export interface ServiceKind {
  /** Which kind of limits files it has. The demo has none. */
  readonly files: "limits" | "envoy" | undefined;
  /** Where it counts. */
  readonly store: "memory" | "redis" | "redis cluster";
  /** More of its flags. */
  readonly flags: readonly string[];
}

const IN_MEMORY = { store: "memory", flags: [] } as const;

/** The services by name: one over limits files, one over Envoy's files, the demo, and three that count in Redis. */
export const SERVICE_KINDS = {
  limits: { ...IN_MEMORY, files: "limits" },
  envoy: { ...IN_MEMORY, files: "envoy" },
  demo: { ...IN_MEMORY, files: undefined },
  redis: { files: "limits", store: "redis", flags: [] },
  workers: { files: "limits", store: "redis", flags: ["--workers", "2"] },
  hybrid: { files: "limits", store: "redis cluster", flags: ["--hybrid"] },
} as const satisfies Readonly<Record<string, ServiceKind>>;

export type ServiceName = keyof typeof SERVICE_KINDS;

export const SERVICE_NAMES = Object.keys(SERVICE_KINDS) as readonly ServiceName[];

/** The services that have limits files, and with them a port for gRPC. */
export function withFiles(names: readonly ServiceName[]): readonly ServiceName[] {
  return names.filter((name) => SERVICE_KINDS[name].files !== undefined);
}
