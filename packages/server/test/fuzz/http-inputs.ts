import { mutateBytes, oddJson, oddText, withOddValue } from "./odd-values.ts";
import type { Random } from "./random.ts";

type Headers = Readonly<Record<string, string>>;

/** A request that the service answers well. Inputs are made of these. */
interface GoodRequest {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Headers;
  readonly body?: string;
}

/** The tokens of the admin listeners. There are several, because each may make ten calls a second. */
export const ADMIN_TOKENS: readonly string[] = Array.from({ length: 20 }, (_, i) => `fuzzing-token-number-${i}`);

/** Stands for the id of the last reservation as JSON. The client puts that in its place, with spaces behind it. */
export const STAND_IN: string = '"RESERVATION-OF-BEFORE-"'.padEnd(42);

const IP = "192.0.2.1";
const TYPE = { "content-type": "application/json" };

const FACTS = {
  ip: IP,
  method: "POST",
  path: "/v1/chat/../x",
  host: "api.example.com:443",
  header: { "x-api-key": "acme", "x-plan": "pro", "x-estimated-tokens": "70", "user-agent": "a bot" },
  query: { deep: "1" },
  cookie: { session: "s" },
  descriptor: { generic_key: "public", remote_address: IP },
};

const CHECK: Headers = {
  "x-forwarded-method": "POST",
  "x-forwarded-uri": "/login?deep=1",
  "x-forwarded-for": `${IP}, 10.0.0.1`,
  "x-forwarded-host": "example.com",
  cookie: "session=a; b=c",
  ...FACTS.header,
};

const DECIDE = { domain: "api", facts: FACTS };

const decide = (call: object): GoodRequest => {
  const body = JSON.stringify(call).replace(STAND_IN.trim(), STAND_IN);
  return { path: "/v1/decide", method: "POST", headers: TYPE, body };
};

const RESERVATION: unknown = JSON.parse(STAND_IN);

const ENVOY: GoodRequest = {
  path: "/json",
  method: "POST",
  headers: TYPE,
  body: JSON.stringify({
    domain: "edge",
    descriptors: [
      { entries: [{ key: "generic_key", value: "public" }], hits_addend: "7" },
      { entries: [{ key: "remote_address", value: IP }], limit: { requestsPerUnit: 5, unit: "MINUTE" } },
    ],
    hitsAddend: 3,
  }),
};

const CHECKS: readonly GoodRequest[] = ["/check", "/check/403"].map((path) => ({ path, headers: CHECK }));

const operator = (path: string, body?: string, method = "POST", type = "application/json"): GoodRequest => ({
  path,
  method: body === undefined ? "GET" : method,
  headers: { "content-type": type, "if-match": "*" },
  ...(body !== undefined && { body }),
});

const KEY = { domain: "api", rule: "client", key: IP };
const LIMITS = "version: 1\ndomains: { api: { limits: { client: { by: ip, rate: 9/1s } } } }\n";

export const GOOD_REQUESTS = {
  limits: [
    ...["consume", "consume", "peek", "reserve", "unblock", "reset"].map((verb) => decide({ verb, ...DECIDE })),
    ...["charge", "refund"].map((verb) => decide({ verb, ...DECIDE, cost: { requests: 1, tokens: 5 } })),
    decide({ verb: "block", ...DECIDE, for: "1s", reason: "why" }),
    ...["settle", "cancel"].map((verb) =>
      decide({ verb, reservation: RESERVATION, ...(verb === "settle" && { cost: 1 }) }),
    ),
    decide({ requests: Array.from({ length: 100 }, () => DECIDE) }),
    ...CHECKS,
    ENVOY,
    { path: "/healthz" },
  ],
  envoy: [ENVOY, ENVOY, { path: "/healthcheck" }, { path: "/healthz" }],
  demo: [{ path: "/" }, { path: "/ping" }, { path: "/test" }, ...CHECKS],
  admin: [
    ...["/metrics", "/healthz", "/readyz", "/rlconfig", "/v1/limits", "/v1/keys/hot?domain=api"].map((path) => ({
      path,
    })),
    ...["explain", "reset", "unblock"].map((verb) => operator(`/v1/keys/${verb}`, JSON.stringify(KEY))),
    operator("/v1/keys/block", JSON.stringify({ ...KEY, for: "10s", reason: "why" })),
    operator(`/v1/keys/explain?domain=api&rule=client&key=${IP}`),
    ...["off", "shadow", "on"].map((verb) => operator(`/v1/rules/client/${verb}`, '{"domain":"api","for":"10s"}')),
    operator("/v1/limits", LIMITS, "PUT", "application/yaml"),
    operator("/v1/limits?dryRun=true", LIMITS, "PUT", "application/yaml"),
  ],
} as const satisfies Readonly<Record<string, readonly GoodRequest[]>>;

const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "M-SEARCH"];

/** A request of HTTP/1.1 whose framing is right, so that the server has to answer it. */
export function httpRequest(random: Random, routes: keyof typeof GOOD_REQUESTS): Buffer {
  const good: GoodRequest = random.pick<GoodRequest>(GOOD_REQUESTS[routes]);
  const address = random.pick([IP, "10.0.0.1", "2001:db8::1", `203.0.113.${random.below(256)}`]);
  const body = good.body === undefined ? undefined : bodyOf(random, good.body.replaceAll(IP, address));
  const headers = Object.entries({ host: "localhost", ...good.headers }).map(([name, value]): [string, string] => [
    name,
    random.percent(4) ? oddText(random) : value.replaceAll(IP, address),
  ]);
  if (routes === "admin") headers.push(["authorization", `Bearer ${random.pick(ADMIN_TOKENS)}`]);
  const more = random.percent(2) ? random.size(3_000) : random.below(3);
  headers.push(...random.list(more, () => oddHeader(random)));
  const bytes = Buffer.from(body ?? "");
  const isChunked = body !== undefined && random.percent(20);
  if (body !== undefined)
    headers.push(isChunked ? ["transfer-encoding", "chunked"] : ["content-length", `${bytes.length}`]);
  const lines = headers.map(([name, value]) => `${name}: ${printable(value, /[^\t\x20-\x7e\x80-\xff]/g)}\r\n`);
  const method = random.percent(90) ? (good.method ?? "GET") : random.pick(METHODS);
  const head = `${method} ${targetOf(random, good.path)} HTTP/1.1\r\n${lines.join("")}\r\n`;
  const sent = isChunked ? [`${bytes.length.toString(16)};a=b\r\n`, bytes, "\r\n0\r\nx-trailer: 1\r\n\r\n"] : [bytes];
  return Buffer.concat([Buffer.from(head, "latin1"), ...sent.map((part) => Buffer.from(part))]);
}

function bodyOf(random: Random, body: string): string {
  if (random.percent(70)) return body;
  if (random.percent(10)) return oddJson(random);
  return random.percent(80) ? withOddValue(random, body) : mutateBytes(random, Buffer.from(body)).toString("latin1");
}

/** Mostly the route's own path, in one of the spellings that clients have. */
function targetOf(random: Random, path: string): string {
  if (random.percent(85)) return path;
  const odd = printable(oddText(random), /[^\x21-\x7e]/g);
  return random.pick([
    `${path}?${odd}`,
    `http://example.com${path}`,
    `/${odd}`,
    path.replaceAll("/", "//"),
    `/./x/..${path.replaceAll("e", "%65")}`,
    `${path};a=b%zz`,
    `${path}${"/a".repeat(random.size(20_000))}`,
    "*",
  ]);
}

function oddHeader(random: Random): [string, string] {
  const names = [
    "connection",
    "accept",
    "x-request-id",
    "cookie",
    "x-forwarded-for",
    "x-api-key",
    "if-match",
    "origin",
  ];
  return [random.percent(70) ? random.pick(names) : `x-${random.below(3_000)}`, oddText(random)];
}

function printable(text: string, others: RegExp): string {
  return Buffer.from(text).toString("latin1").replaceAll(others, "");
}
