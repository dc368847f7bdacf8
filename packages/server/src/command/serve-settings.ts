import { BlockList, isIP } from "node:net";
import type { AdminSettings } from "../admin/admin-settings.ts";
import type { TlsFiles } from "../files/certificates.ts";
import { DEFAULT_BOUNDS } from "../http/guarded-server.ts";
import type { LogFormat } from "../log/log.ts";
import type { ServiceSettings } from "../service.ts";
import * as flags from "./flags.ts";
import { wrongValue } from "./parse-flags.ts";
import { readTokens } from "./token-file.ts";
import { UsageError } from "./usage-error.ts";

/** What `tollgate serve` is told by its flags. */
export interface ServeSettings extends ServiceSettings {
  readonly logFormat: LogFormat;
  /** How many processes serve the port. */
  readonly workers: number;
}

/** The flags' values as text. */
export type FlagTexts = Readonly<Partial<Record<flags.ValueFlagName, string>>>;

/** Which flags without a value there are. */
export type PlainFlags = Readonly<Partial<Record<flags.PlainFlagName, boolean>>>;

/** @throws UsageError for a value that is not what its flag expects, and for flags that do not go together. */
export function settingsOf(texts: FlagTexts, plain: PlainFlags): ServeSettings {
  checkTogether({ ...texts, ...plain });
  const logFormat = read(texts, "log-format") ?? flags.DEFAULT_LOG_FORMAT;
  const application = applicationOf(texts, plain);
  return {
    host: read(texts, "host") ?? flags.DEFAULT_HOST,
    port: read(texts, "port") ?? flags.DEFAULT_PORT,
    application,
    workers: workersOf(texts, application),
    grpcPort: read(texts, "grpc-port"),
    trustProxy: read(texts, "trust-proxy") ?? false,
    maxConnections: read(texts, "max-connections") ?? DEFAULT_BOUNDS.connections,
    headersMs: read(texts, "headers-timeout") ?? DEFAULT_BOUNDS.headersMs,
    logFormat,
    logDenials: read(texts, "log-denials") ?? flags.DEFAULT_LOG_DENIALS,
    requestIds: logFormat === "json",
    admin: adminOf(texts),
    tls: tlsOf(texts),
  };
}

function read<Name extends flags.ValueFlagName>(texts: FlagTexts, flag: Name): flags.FlagTypes[Name] | undefined {
  const text = texts[flag];
  if (text === undefined) return undefined;
  const { read: readValue, expected } = flags.VALUE_FLAGS[flag];
  const value = readValue(text);
  if (value === undefined) throw new UsageError(wrongValue(flag, expected, text));
  return value;
}

type FlagName = flags.ValueFlagName | flags.PlainFlagName;

/** Flags that go together, or that exclude each other. The first one is told. */
const TOGETHER: readonly (readonly [
  readonly FlagName[],
  expected: "with" | "without",
  other: FlagName,
  why?: string,
])[] = [
  [["grpc-port", "redis", "redis-timeout", "max-keys", "check-domain", "shadow", "hybrid"], "with", "limits"],
  [["capacity", "refill", "refill-per-second"], "without", "limits", ", which has the numbers"],
  [["max-keys"], "without", "redis", ", which has memory of its own"],
  [["hybrid", "redis-timeout"], "with", "redis"],
  [["refill"], "without", "refill-per-second", ", got both"],
  [["tls-cert", "tls-client-ca"], "with", "tls-key"],
  [["tls-key", "tls-client-ca"], "with", "tls-cert"],
  [["admin-host", "admin-allow-host", "admin-token-file"], "with", "admin-port", ", which opens the admin listener"],
];

function checkTogether(given: { readonly [Name in FlagName]?: string | boolean | undefined }): void {
  for (const [names, expected, other, why = ""] of TOGETHER) {
    const isOther = given[other] !== undefined;
    const stray = isOther === (expected === "with") ? undefined : names.find((name) => given[name] !== undefined);
    if (stray !== undefined) throw new UsageError(`--${stray}: expected ${expected} --${other}${why}`);
  }
}

function applicationOf(texts: FlagTexts, { shadow = false, hybrid = false }: PlainFlags): ServeSettings["application"] {
  const path = read(texts, "limits");
  const sweepInterval = read(texts, "sweep-interval") ?? flags.DEFAULT_SWEEP_INTERVAL;
  if (path === undefined) {
    const refill = read(texts, "refill") ?? read(texts, "refill-per-second") ?? flags.DEFAULT_REFILL;
    return { kind: "demo", capacity: read(texts, "capacity") ?? flags.DEFAULT_CAPACITY, refill, sweepInterval };
  }
  return {
    kind: "limits",
    path,
    shadow,
    checkDomain: read(texts, "check-domain"),
    redis: read(texts, "redis"),
    redisTimeout: read(texts, "redis-timeout") ?? flags.DEFAULT_REDIS_TIMEOUT,
    hybrid,
    maxKeys: read(texts, "max-keys"),
    sweepInterval,
  };
}

function workersOf(texts: FlagTexts, { kind }: ServiceSettings["application"]): number {
  const workers = read(texts, "workers") ?? 1;
  if (workers === 1 || kind === "limits") return workers;
  throw new UsageError(`--workers: expected with --limits, got ${workers} without`);
}

function tlsOf(texts: FlagTexts): TlsFiles | undefined {
  const [cert, key, clientCa] = (["tls-cert", "tls-key", "tls-client-ca"] as const).map((flag) => read(texts, flag));
  return cert === undefined || key === undefined ? undefined : { cert, key, clientCa };
}

function adminOf(texts: FlagTexts): AdminSettings | undefined {
  const port = read(texts, "admin-port");
  if (port === undefined) return undefined;
  const host = read(texts, "admin-host") ?? flags.DEFAULT_HOST;
  const tokenFile = read(texts, "admin-token-file");
  if (tokenFile === undefined && !isLoopback(host)) {
    const expected = "a loopback address, or --admin-token-file for others";
    throw new UsageError(`--admin-host: expected ${expected}, got ${JSON.stringify(host)}`);
  }
  const tokens = tokenFile === undefined ? undefined : readTokens(tokenFile);
  return { host, port, hosts: read(texts, "admin-allow-host") ?? [], tokens };
}

function isLoopback(host: string): boolean {
  if (host.toLowerCase() === "localhost") return true;
  const version = isIP(host);
  if (version === 0) return false;
  const loopback = new BlockList();
  loopback.addSubnet("127.0.0.0", 8, "ipv4");
  loopback.addAddress("::1", "ipv6");
  return loopback.check(host, version === 4 ? "ipv4" : "ipv6");
}
