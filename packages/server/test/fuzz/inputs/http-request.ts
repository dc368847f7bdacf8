import { oddText } from "../odd-values.ts";
import type { Random } from "../random.ts";
import { ADMIN_PATHS, adminBody, adminHeaders } from "./admin-body.ts";
import { decideBody } from "./decide-body.ts";
import { envoyBody } from "./envoy-body.ts";
import { address, method, path, ruleHeader } from "./facts.ts";
import { SERVICE_KINDS, type ServiceName } from "./service-kinds.ts";

type Headers = (readonly [string, string])[];

const PATHS: Readonly<Record<"limits" | "envoy" | "demo" | "admin", readonly string[]>> = {
  limits: ["/v1/decide", "/v1/decide", "/v1/decide", "/check", "/check/403", "/json", "/healthz"],
  envoy: ["/json", "/json", "/json", "/healthcheck", "/healthz"],
  demo: ["/", "/ping", "/test", "/check", "/check/403", "/healthz"],
  admin: ["/metrics", "/healthz", "/readyz", "/rlconfig", ...ADMIN_PATHS],
};

/** They want a type of their bodies. */
const JSON_ROUTES = ["/v1/decide", "/json"];

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "M-SEARCH"];

/**
 * A request of HTTP/1.1 whose framing is right, so that the server has to answer it: the length of its body is what it
 * says.
 */
export function httpRequest(random: Random, routes: ServiceName | "admin"): Buffer {
  const route = random.pick(PATHS[routes === "admin" ? routes : (SERVICE_KINDS[routes].files ?? "demo")]);
  const body = bodyOf(random, route);
  const verb = random.percent(85) ? methodOf(route, body) : random.pick(METHODS);
  const headers: Headers = [["Host", random.percent(95) ? "localhost" : headerValue(oddText(random))]];
  if (routes === "admin" && random.percent(85)) headers.push(...adminHeaders(random));
  headers.push(...headersOf(random, route));
  const head = (framing: Headers): string => {
    const lines = [...headers, ...framing].map(([name, value]) => `${name}: ${value}\r\n`);
    return `${verb} ${targetOf(random, route)} HTTP/1.1\r\n${lines.join("")}\r\n`;
  };
  if (body === undefined) return Buffer.from(head([]), "latin1");
  const bytes = Buffer.from(body);
  if (random.percent(80))
    return Buffer.concat([Buffer.from(head([["Content-Length", `${bytes.length}`]]), "latin1"), bytes]);
  return Buffer.concat([Buffer.from(head([["Transfer-Encoding", "chunked"]]), "latin1"), chunked(random, bytes)]);
}

function methodOf(route: string, body: string | undefined): string {
  if (body === undefined) return "GET";
  return route.startsWith("/v1/limits") ? "PUT" : "POST";
}

function bodyOf(random: Random, route: string): string | undefined {
  if (route === "/v1/decide") return decideBody(random);
  if (route === "/json") return envoyBody(random);
  if (ADMIN_PATHS.includes(route)) return random.percent(80) ? adminBody(random, route) : undefined;
  return random.percent(10) ? oddText(random) : undefined;
}

/** Mostly the route's own path, in one of the spellings that clients have. */
function targetOf(random: Random, route: string): string {
  if (random.percent(85)) return route;
  const query = targetText(oddText(random));
  return random.pick([
    `${route}?${query}`,
    `http://example.com${route}`,
    `/${targetText(oddText(random))}`,
    route.replaceAll("/", "//"),
    route.replaceAll("e", "%65"),
    `${route}/`,
    `/./x/..${route}`,
    `${route}%00`,
    `${route}%zz`,
    `${route};a=b`,
    `${route}${"/a".repeat(random.size(20_000))}`,
    "*",
  ]);
}

function headersOf(random: Random, route: string): Headers {
  const headers: Headers = [];
  const types = ["application/json", "Application/JSON; charset=utf-8", "text/plain", headerValue(oddText(random))];
  if (JSON_ROUTES.includes(route) && random.percent(95))
    headers.push(["Content-Type", random.percent(90) ? types[0]! : random.pick(types)]);
  if (random.percent(3)) headers.push(["Origin", "http://example.com"]);
  if (route.startsWith("/check") || random.percent(10)) headers.push(...forwarded(random));
  while (random.percent(25)) headers.push(oddHeader(random));
  if (random.percent(2)) headers.push(...random.list(random.size(3_000), () => oddHeader(random)));
  return headers;
}

function forwarded(random: Random): Headers {
  const hops = random.list(random.percent(95) ? random.below(4) : random.size(500), () => address(random));
  const headers: Headers = [
    ["X-Forwarded-Method", method(random)],
    ["X-Forwarded-Uri", headerValue(path(random))],
    ["X-Forwarded-For", headerValue(hops.join(random.pick([",", ", "])))],
  ];
  if (random.percent(30)) headers.push(["X-Forwarded-Host", headerValue(oddText(random))]);
  if (random.percent(10)) headers.push(random.pick(headers));
  return headers;
}

function oddHeader(random: Random): readonly [string, string] {
  const value = headerValue(oddText(random));
  if (random.percent(40)) {
    const [name, ruled] = ruleHeader(random);
    return [name, headerValue(ruled)];
  }
  return random.pick([
    ["Connection", random.pick(["close", "keep-alive", "Upgrade", "TE, close", value])],
    ["Accept", random.pick(["text/*;q=zz", ";;;,,", value])],
    ["X-Request-Id", random.pick(["abc-123", value])],
    ["Cookie", `session=${value}; ; =; a=b`],
    ["Content-Type", value],
    ["Authorization", `Bearer ${value}`],
    ["If-Match", value],
    [`X-${random.below(3_000)}`, value],
  ]);
}

/** What may stand in the value of a header. */
function headerValue(text: string): string {
  return Buffer.from(text)
    .toString("latin1")
    .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "");
}

/** What may stand in a target. */
function targetText(text: string): string {
  return Buffer.from(text)
    .toString("latin1")
    .replaceAll(/[^\x21-\x7e]/g, "~");
}

function chunked(random: Random, bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const chunk = bytes.subarray(at, at + random.size(2_000));
    const extension = random.percent(5) ? ";a=b" : "";
    parts.push(Buffer.from(`${chunk.length.toString(16)}${extension}\r\n`), chunk, Buffer.from("\r\n"));
    at += chunk.length;
  }
  const trailer = random.percent(10) ? "X-Trailer: 1\r\n" : "";
  parts.push(Buffer.from(`0\r\n${trailer}\r\n`));
  return Buffer.concat(parts);
}
