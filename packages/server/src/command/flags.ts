import type { Duration } from "tollgate";
import type { TrustProxy } from "tollgate/node";
import type { Refill } from "../demo/refill.ts";
import { DEFAULT_BOUNDS } from "../http/guarded-server.ts";
import { type RedisAddress, redisAddress } from "../limits/redis-address.ts";
import type { LogFormat } from "../log/log.ts";
import * as values from "./flag-values.ts";

/** A flag that takes a value. */
interface ValueFlag<Value> {
  /** What stands for the value in the help, such as `<number>`. */
  readonly value: string;
  readonly help: readonly string[];
  /** What the value has to be, for errors. */
  readonly expected: string;
  /** `undefined` if the text is not what is expected. */
  readonly read: (text: string) => Value | undefined;
}

/** What each flag's value is, once it is read. */
export interface FlagTypes {
  readonly port: number;
  readonly host: string;
  readonly capacity: number;
  readonly "refill-per-second": Refill;
  readonly refill: Refill;
  readonly limits: string;
  readonly "grpc-port": number;
  readonly redis: RedisAddress;
  readonly "redis-timeout": Duration;
  readonly "max-keys": number;
  readonly "check-domain": string;
  readonly "trust-proxy": TrustProxy;
  readonly "sweep-interval": Duration;
  readonly "max-connections": number;
  readonly "headers-timeout": number;
  readonly workers: number;
  readonly "tls-cert": string;
  readonly "tls-key": string;
  readonly "tls-client-ca": string;
  readonly "admin-port": number;
  readonly "admin-host": string;
  readonly "admin-allow-host": readonly string[];
  readonly "admin-token-file": string;
  readonly "log-format": LogFormat;
  readonly "log-denials": number;
}

export type ValueFlagName = keyof FlagTypes;

/** What holds without a flag. */
export const DEFAULT_HOST = "127.0.0.1";
export const DEFAULT_PORT = 3000;
export const DEFAULT_CAPACITY = 10;
export const DEFAULT_REFILL: Refill = { units: 1, per: "1s", text: "1 per second" };
export const DEFAULT_SWEEP_INTERVAL: Duration = "1m";
export const DEFAULT_REDIS_TIMEOUT: Duration = "100ms";
export const DEFAULT_LOG_FORMAT: LogFormat = "text";
export const DEFAULT_LOG_DENIALS = 10;

const ANY_NUMBER = Number.MAX_SAFE_INTEGER;

function number(least: number, most: number, help: readonly string[]): ValueFlag<number> {
  const expected = `a whole number from ${least} to ${most}`;
  return { value: "<number>", help, expected, read: values.wholeNumber(least, most) };
}

function path(help: readonly string[]): ValueFlag<string> {
  return { value: "<path>", help, expected: "a path", read: values.host };
}

/** The flags that take a value, in the order of the help. */
export const VALUE_FLAGS: { readonly [Name in ValueFlagName]: ValueFlag<FlagTypes[Name]> } = {
  port: number(0, 65_535, [`0 for any free port (default: ${DEFAULT_PORT})`]),
  host: {
    value: "<address>",
    help: [`where to listen (default: ${DEFAULT_HOST}, this machine only)`],
    expected: "an address or a host name",
    read: values.host,
  },
  capacity: number(1, ANY_NUMBER, [`requests that a client can make at once (default: ${DEFAULT_CAPACITY})`]),
  "refill-per-second": {
    value: "<number>",
    help: [`requests that it gets back every second, such as 5 or 0.0167 (default: ${DEFAULT_REFILL.units})`],
    expected: "a number above 0, such as 5 or 0.0167",
    read: values.refillPerSecond,
  },
  refill: {
    value: "<count/time>",
    help: ["the same as a rate of any period, such as 1/60s or 0.5/1h"],
    expected: "a count and a time, such as 1/60s",
    read: values.refill,
  },
  limits: path(["serves the limits of a file, or of a directory of files, in place of the routes above"]),
  "grpc-port": number(0, 65_535, ["with --limits: serves Envoy's rate limit protocol (default: closed)"]),
  redis: {
    value: "<url>",
    help: [
      "with --limits: counts in Redis; several URLs with commas between them are a Cluster,",
      "redis+sentinel://host,host/name asks Sentinels (default: counts in memory)",
    ],
    expected: "redis://host:port, several of them with commas, or redis+sentinel://host:port,host:port/name",
    read: redisAddress,
  },
  "redis-timeout": {
    value: "<time>",
    help: [
      "with --redis: how long a request waits for it before onFailure of its rule decides",
      `(default: ${DEFAULT_REDIS_TIMEOUT})`,
    ],
    expected: "a time from 1ms to 1h, such as 50ms",
    read: values.timeout,
  },
  "max-keys": number(1, 100_000_000, ["with --limits: keys that memory has at most (default: 1000000)"]),
  "check-domain": {
    value: "<name>",
    help: ["with --limits: the domain that decides /check for proxies (default: the first)"],
    expected: "a name",
    read: values.host,
  },
  "trust-proxy": {
    value: "<hops | list>",
    help: [
      "the proxies in front: how many, or their addresses and CIDR blocks with commas",
      "between them (default: none, X-Forwarded-For is ignored)",
    ],
    expected: "a number of hops, or addresses and CIDR blocks, loopback or private, with commas between them",
    read: values.trust,
  },
  "sweep-interval": {
    value: "<time>",
    help: [`how often idle clients are dropped, and logged as a line (default: ${DEFAULT_SWEEP_INTERVAL})`],
    expected: "a time from 1ms to 24d, such as 30s or 5m",
    read: values.sweepInterval,
  },
  "max-connections": number(1, 1_000_000, [
    `connections of clients at once; further ones are closed (default: ${DEFAULT_BOUNDS.connections})`,
  ]),
  "headers-timeout": {
    value: "<time>",
    help: [`how long the head of a request may take; then it gets 408 (default: ${DEFAULT_BOUNDS.headersMs / 1_000}s)`],
    expected: "a time from 1ms to 1h, such as 5s",
    read: values.timeoutMs,
  },
  workers: number(1, 256, ["with --limits: processes that serve the port together (default: 1)"]),
  "tls-cert": path(["with --tls-key: a certificate in PEM, for HTTPS and gRPC over TLS on every port"]),
  "tls-key": path(["its private key; both are read again when they change"]),
  "tls-client-ca": path(["certificates in PEM of authorities: clients need a certificate of one of them"]),
  "admin-port": number(0, 65_535, ["opens the admin listener: /metrics, /healthz, /readyz (default: closed)"]),
  "admin-host": {
    value: "<address>",
    help: [
      `where the admin listener listens (default: ${DEFAULT_HOST}); any other than`,
      "loopback needs --admin-token-file",
    ],
    expected: "an address or a host name",
    read: values.host,
  },
  "admin-allow-host": {
    value: "<names>",
    help: ["names that may be in Host of admin requests, with commas between them,", "beside localhost and addresses"],
    expected: "host names with commas between them",
    read: values.hostNames,
  },
  "admin-token-file": path([
    "a file with bearer tokens, one a line, a name and read behind it if you like: only they",
    "get metrics, change limits and have the dashboard at /",
  ]),
  "log-format": {
    value: "<text | json>",
    help: [`json adds ids to requests (default: ${DEFAULT_LOG_FORMAT})`],
    expected: "text or json",
    read: values.choice<LogFormat>(["text", "json"]),
  },
  "log-denials": number(0, 1_000, [
    `lines about denied requests in ten seconds, for each limiter (default: ${DEFAULT_LOG_DENIALS})`,
  ]),
};

/** The flags without a value, with their help. */
export const PLAIN_FLAGS: Readonly<Record<"hybrid" | "shadow" | "help" | "version", string>> = {
  hybrid: "with --redis: takes units in advance, so that few calls ask Redis",
  shadow: "with --limits: counts, and lets everything pass",
  help: "print this",
  version: "print the version",
};

export type PlainFlagName = keyof typeof PLAIN_FLAGS;
