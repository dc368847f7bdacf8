import { BlockList, isIP } from "node:net";
import type { Duration } from "tollgate";
import type { AdminSettings } from "../admin/admin-settings.ts";
import type { DemoSettings } from "../demo/demo.ts";
import type { Refill } from "../demo/refill.ts";
import type { TlsFiles } from "../files/certificates.ts";
import { DEFAULT_BOUNDS } from "../http/guarded-server.ts";
import type { LimitsSettings } from "../limits/limits-settings.ts";
import type { LogFormat } from "../log/log.ts";
import type { ServiceSettings } from "../service.ts";
import * as flags from "./flags.ts";
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

/** One line about a flag. `undefined` is a missing value. */
export function fault(flag: flags.ValueFlagName | flags.PlainFlagName, value: string | undefined): string {
  const expected = flag in flags.VALUE_FLAGS ? flags.VALUE_FLAGS[flag as flags.ValueFlagName].expected : "no value";
  return `--${flag}: expected ${expected}, got ${value === undefined ? "none" : JSON.stringify(value)}`;
}

function read<Name extends flags.ValueFlagName>(texts: FlagTexts, flag: Name): flags.FlagTypes[Name] | undefined {
  const text = texts[flag];
  if (text === undefined) return undefined;
  const value = flags.VALUE_FLAGS[flag].read(text);
  if (value === undefined) throw new UsageError(fault(flag, text));
  return value;
}

const DEMO_FLAGS = ["capacity", "refill", "refill-per-second"] as const;
const PLAIN_LIMITS_FLAGS = ["shadow", "hybrid"] as const;
const LIMITS_FLAGS = ["grpc-port", "redis", "redis-timeout", "max-keys", "check-domain"] as const;

function applicationOf(texts: FlagTexts, plain: PlainFlags): ServiceSettings["application"] {
  const path = read(texts, "limits");
  return path === undefined ? demoOf(texts, plain) : limitsOf(path, texts, plain);
}

function demoOf(texts: FlagTexts, plain: PlainFlags): DemoSettings {
  const stray =
    LIMITS_FLAGS.find((flag) => texts[flag] !== undefined) ?? PLAIN_LIMITS_FLAGS.find((flag) => plain[flag] === true);
  if (stray !== undefined) throw new UsageError(`--${stray}: expected with --limits`);
  const capacity = read(texts, "capacity") ?? flags.DEFAULT_CAPACITY;
  return { kind: "demo", capacity, refill: refillOf(texts), sweepInterval: sweepIntervalOf(texts) };
}

function limitsOf(path: string, texts: FlagTexts, { shadow = false, hybrid = false }: PlainFlags): LimitsSettings {
  const stray = DEMO_FLAGS.find((flag) => texts[flag] !== undefined);
  if (stray !== undefined) throw new UsageError(`--${stray}: expected without --limits, which has the numbers`);
  const redis = read(texts, "redis");
  const maxKeys = read(texts, "max-keys");
  if (redis !== undefined && maxKeys !== undefined) {
    throw new UsageError("--max-keys: expected without --redis, which has memory of its own");
  }
  if (hybrid && redis === undefined) throw new UsageError("--hybrid: expected with --redis");
  const timeout = read(texts, "redis-timeout");
  if (timeout !== undefined && redis === undefined) throw new UsageError("--redis-timeout: expected with --redis");
  return {
    kind: "limits",
    path,
    shadow,
    checkDomain: read(texts, "check-domain"),
    redis,
    redisTimeout: timeout ?? flags.DEFAULT_REDIS_TIMEOUT,
    hybrid,
    maxKeys,
    sweepInterval: sweepIntervalOf(texts),
  };
}

function workersOf(texts: FlagTexts, { kind }: ServiceSettings["application"]): number {
  const workers = read(texts, "workers") ?? 1;
  if (workers === 1 || kind === "limits") return workers;
  throw new UsageError(`--workers: expected with --limits, got ${workers} without`);
}

function sweepIntervalOf(texts: FlagTexts): Duration {
  return read(texts, "sweep-interval") ?? flags.DEFAULT_SWEEP_INTERVAL;
}

function refillOf(texts: FlagTexts): Refill {
  const perSecond = read(texts, "refill-per-second");
  const rate = read(texts, "refill");
  if (perSecond !== undefined && rate !== undefined) {
    throw new UsageError("--refill: expected without --refill-per-second, got both");
  }
  return rate ?? perSecond ?? flags.DEFAULT_REFILL;
}

function tlsOf(texts: FlagTexts): TlsFiles | undefined {
  const [cert, key, clientCa] = (["tls-cert", "tls-key", "tls-client-ca"] as const).map((flag) => read(texts, flag));
  if (cert !== undefined && key !== undefined) return { cert, key, clientCa };
  if (cert !== undefined) throw new UsageError("--tls-cert: expected with --tls-key");
  if (key !== undefined) throw new UsageError("--tls-key: expected with --tls-cert");
  if (clientCa !== undefined) throw new UsageError("--tls-client-ca: expected with --tls-cert and --tls-key");
  return undefined;
}

const ADMIN_FLAGS = ["admin-host", "admin-allow-host", "admin-token-file"] as const;

function adminOf(texts: FlagTexts): AdminSettings | undefined {
  const port = read(texts, "admin-port");
  if (port === undefined) {
    const stray = ADMIN_FLAGS.find((flag) => texts[flag] !== undefined);
    if (stray === undefined) return undefined;
    throw new UsageError(`--${stray}: expected with --admin-port, which opens the admin listener`);
  }
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
