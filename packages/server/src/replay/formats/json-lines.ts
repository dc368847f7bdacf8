import { type Bytes, bytesOf, textOf } from "../bytes.ts";
import { firstForwarded, withoutPort } from "./address.ts";
import type { Entry, LogFormat } from "./entry.ts";
import { anyTimeUs } from "./timestamps.ts";

type Paths = readonly (readonly string[])[];

const pathOf = (name: string): readonly string[] => name.split(".");

const paths = (...names: readonly string[]): Paths => names.flatMap((line) => line.split(" ").map(pathOf));

/** The names that loggers give each fact, the first that a line has counts. Dots lead into objects. */
const PATHS = {
  time: paths("ts time timestamp @timestamp time_iso8601 time_local msec start_time date"),
  forwarded: paths("x_forwarded_for http_x_forwarded_for xff"),
  address: paths(
    "request.client_ip request.remote_ip client_ip clientIp remote_addr remote_ip", // Caddy, nginx
    "remoteAddress req.remoteAddress ClientHost ClientIP", // pino, Traefik, Cloudflare
    "downstream_remote_address httpRequest.remoteIp httpRequest.clientIp", // Envoy, Google Cloud, AWS WAF
    "ip client host.ip",
  ),
  user: paths("user_id remote_user user ClientUsername"),
  method: paths("request.method req.method method request_method RequestMethod httpRequest.requestMethod"),
  path: paths("request.uri req.url path uri request_uri url RequestPath httpRequest.requestUrl"),
  host: paths("request.host host http_host authority RequestHost server_name"),
  userAgent: paths("user_agent http_user_agent userAgent httpRequest.userAgent request.headers.User-Agent"),
} as const;

/** One JSON object a line, as Caddy, Traefik, Envoy, pino and nginx write them. */
export class JsonFormat implements LogFormat {
  readonly name = "JSON lines";
  readonly #client: Paths | undefined;

  /** @param client The field that tells clients apart, such as `request.headers.X-Api-Key`: instead of the address. */
  constructor(client: string | undefined) {
    this.#client = client === undefined ? undefined : [pathOf(client)];
  }

  read(line: Bytes): Entry | undefined {
    const fields = parsed(line);
    const timeUs = anyTimeUs(factOf(fields, PATHS.time));
    const address = this.#client === undefined ? addressOf(fields) : wordOf(fields, this.#client);
    if (Number.isNaN(timeUs) || address === "") return undefined;
    const details = () => ({
      user: wordOf(fields, PATHS.user),
      method: wordOf(fields, PATHS.method),
      path: wordOf(fields, PATHS.path),
      host: wordOf(fields, PATHS.host),
      userAgent: wordOf(fields, PATHS.userAgent),
    });
    return { timeUs, address: bytesOf(address), details };
  }
}

function parsed(line: Bytes): unknown {
  try {
    return JSON.parse(textOf(line));
  } catch {
    return undefined;
  }
}

function addressOf(fields: unknown): string {
  return withoutPort(wordOf(fields, PATHS.address)) || firstForwarded(wordOf(fields, PATHS.forwarded));
}

function wordOf(fields: unknown, fact: Paths): string {
  return String(factOf(fields, fact));
}

/** Empty if the line has none of the paths. */
function factOf(fields: unknown, fact: Paths): string | number {
  for (const path of fact) {
    const value = at(fields, path);
    if (typeof value === "number" || (typeof value === "string" && value !== "-" && value !== "")) return value;
  }
  return "";
}

/** The value at a path; of a list, its first one. */
function at(fields: unknown, path: readonly string[]): unknown {
  let value = fields;
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return Array.isArray(value) ? value[0] : value;
}
