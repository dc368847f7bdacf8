import { firstForwarded, withoutPort } from "./address.ts";
import { type Entry, type LogFormat, textOf as lineOf, type Outcome } from "./entry.ts";
import { anyTimeUs } from "./timestamps.ts";

type Fields = Readonly<Record<string, unknown>>;

const paths = (...names: readonly string[]): readonly (readonly string[])[] => names.map((name) => name.split("."));

/** The names that loggers give each fact, the first that a line has counts. Dots lead into objects. */
const PATHS = {
  time: paths("ts", "time", "timestamp", "@timestamp", "time_iso8601", "time_local", "msec", "start_time", "date"),
  forwarded: paths("x_forwarded_for", "http_x_forwarded_for", "xff"),
  address: paths(
    "request.client_ip", // Caddy
    "request.remote_ip",
    "client_ip",
    "clientIp",
    "remote_addr",
    "remote_ip",
    "remoteAddress",
    "req.remoteAddress", // pino
    "ClientHost", // Traefik
    "ClientIP", // Cloudflare
    "downstream_remote_address", // Envoy
    "httpRequest.remoteIp", // Google Cloud
    "httpRequest.clientIp", // AWS WAF
    "ip",
    "client",
    "host.ip",
  ),
  user: paths("user_id", "remote_user", "user", "ClientUsername"),
  method: paths(
    "request.method",
    "req.method",
    "method",
    "request_method",
    "RequestMethod",
    "httpRequest.requestMethod",
  ),
  path: paths("request.uri", "req.url", "path", "uri", "request_uri", "url", "RequestPath", "httpRequest.requestUrl"),
  host: paths("request.host", "host", "http_host", "authority", "RequestHost", "server_name"),
  userAgent: paths("user_agent", "http_user_agent", "userAgent", "httpRequest.userAgent", "request.headers.User-Agent"),
} as const;

/** One JSON object a line, as Caddy, Traefik, Envoy, pino and nginx write them. */
export class JsonFormat implements LogFormat {
  readonly name = "JSON lines";
  readonly #client: readonly string[] | undefined;

  /** @param client The field that tells clients apart, such as `request.headers.X-Api-Key`: instead of the address. */
  constructor(client?: string) {
    this.#client = client?.split(".");
  }

  read(bytes: Buffer, start: number, end: number, entry: Entry): Outcome {
    const fields = parsed(lineOf(bytes, start, end));
    if (fields === undefined) return "unreadable";
    const timeUs = anyTimeUs(factOf(fields, "time"));
    const address = this.#client === undefined ? addressOf(fields) : textAt(fields, this.#client);
    if (Number.isNaN(timeUs) || address === "") return "unreadable";
    entry.timeUs = timeUs;
    entry.address = address;
    entry.user = textOf(fields, "user");
    entry.method = textOf(fields, "method");
    entry.path = textOf(fields, "path");
    entry.host = textOf(fields, "host");
    entry.userAgent = textOf(fields, "userAgent");
    return "request";
  }
}

function parsed(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

function addressOf(fields: Fields): string {
  const address = textOf(fields, "address");
  return address === "" ? firstForwarded(textOf(fields, "forwarded")) : withoutPort(address);
}

function textOf(fields: Fields, fact: keyof typeof PATHS): string {
  const value = factOf(fields, fact);
  return typeof value === "string" ? value : "";
}

function factOf(fields: Fields, fact: keyof typeof PATHS): unknown {
  for (const path of PATHS[fact]) {
    const value = at(fields, path);
    if (value !== undefined && value !== "" && value !== "-" && !isObject(value)) return value;
  }
  return undefined;
}

function textAt(fields: Fields, path: readonly string[]): string {
  const value = at(fields, path);
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === "string" || typeof first === "number" ? String(first) : "";
}

function at(fields: Fields, path: readonly string[]): unknown {
  let value: unknown = fields;
  for (const name of path) {
    if (!(isObject(value) && Object.hasOwn(value, name))) return undefined;
    value = value[name];
  }
  return Array.isArray(value) ? value[0] : value;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}
