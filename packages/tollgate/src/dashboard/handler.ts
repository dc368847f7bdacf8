import { TollgateError } from "../core/errors.ts";
import { Board } from "./board.ts";
import { PAGE_FILES } from "./page-files.ts";
import { type NamedKey, ROUTES, type SourceAct } from "./snapshot.ts";
import { DashboardError, type DashboardSource, type Looker } from "./source.ts";

/** A request, whatever the server. */
export interface Call {
  readonly method: string;
  /** The whole target, also where a framework has taken the beginning of the path away. */
  readonly target: string;
  header(name: string): string | undefined;
  /** The body. @throws DashboardError 413 */
  text(): Promise<string>;
}

/** Which clients may look. */
export interface Door<Native> {
  /** `undefined`: the client has to open a session. @throws DashboardError 403, 429 */
  authorize(request: Native): Looker | undefined | Promise<Looker | undefined>;
  /** The cookie of a new session. `undefined` where there are no sessions. @throws DashboardError 401, 429 */
  readonly openSession?: (token: string, request: Native) => string;
}

const JSON_TYPE = /^application\/json\s*(;|$)/i;
const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  // Proxies and middleware that compress would hold events back.
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Tollgate</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${ROUTES.style}">
<script type="module" src="${ROUTES.script}"></script>
</head>
<body><div id="app"></div></body>
</html>
`;
const ACTIONS: Readonly<Record<SourceAct["action"], "key" | "mode">> = {
  reset: "key",
  block: "key",
  unblock: "key",
  on: "mode",
  shadow: "mode",
  off: "mode",
  restore: "mode",
};

/** Answers the requests of pages. */
export class Handler<Native> {
  readonly #source: DashboardSource;
  readonly #door: Door<Native>;
  readonly #onError: (error: unknown) => void;
  readonly board: Board;

  constructor(source: DashboardSource, door: Door<Native>, onError: (error: unknown) => void) {
    this.#source = source;
    this.#door = door;
    this.#onError = onError;
    this.board = new Board(source, onError);
  }

  async answer(call: Call, request: Native): Promise<Response> {
    const answer = await this.#route(call, request).catch((error: unknown) => this.#refusal(error));
    for (const [name, value] of Object.entries(HEADERS)) answer.headers.set(name, value);
    return answer;
  }

  async #route(call: Call, request: Native): Promise<Response> {
    const [path = "", query = ""] = call.target.split("#", 1)[0]!.split("?", 2);
    const name = path.slice(path.lastIndexOf("/") + 1);
    const isAction = name === ROUTES.session || name === ROUTES.key || name === ROUTES.act;
    const method = isAction ? "POST" : "GET";
    if (call.method !== method) throw new DashboardError(405, `expected ${method}`);
    if (isAction) return this.#act(name, query, call, request);
    switch (name) {
      case "":
        return typed("text/html", PAGE);
      case ROUTES.script:
        return typed("text/javascript", PAGE_FILES.script);
      case ROUTES.style:
        return typed("text/css", PAGE_FILES.style);
      case ROUTES.snapshots: {
        checkOrigin(call);
        const looker = await this.#looker(request);
        return typed("text/event-stream", this.board.look(looker, isShown(query, looker)));
      }
      default:
        if (name.includes(".")) throw new DashboardError(404, "not found");
        // The page's links are relative to its folder.
        return new Response(null, { status: 302, headers: { location: `${name}/` } });
    }
  }

  async #act(name: string, query: string, call: Call, request: Native): Promise<Response> {
    checkOrigin(call);
    if (!JSON_TYPE.test(call.header("content-type") ?? ""))
      throw new DashboardError(415, "content-type: expected application/json");
    if (name === ROUTES.session) {
      const token = textOf(fieldsOf(await call.text()), "token");
      const cookie = this.#door.openSession?.(token, request);
      return new Response(null, { status: 204, ...(cookie !== undefined && { headers: { "set-cookie": cookie } }) });
    }
    // Before the body is read.
    const looker = await this.#looker(request);
    if (name === ROUTES.act && looker.access === "read") throw new DashboardError(403, "you may only look");
    const fields = fieldsOf(await call.text());
    if (name === ROUTES.act) return Response.json(await this.#source.act(this.#actIn(fields), looker));
    const key = this.board.find(keyIn(fields));
    return Response.json(await this.board.detail(key, costIn(fields), isShown(query, looker)));
  }

  #actIn(fields: Fields): SourceAct {
    const action = textOf(fields, "action") as SourceAct["action"];
    if (!Object.hasOwn(ACTIONS, action)) throw new DashboardError(400, "action: expected reset, block, off …");
    return {
      action,
      limiter: textOf(fields, "limiter"),
      ...(ACTIONS[action] === "key" && { key: this.board.find(keyIn(fields)).key }),
      ...(fields["for"] !== undefined && { for: textOf(fields, "for") }),
      ...(fields["reason"] !== undefined && { reason: textOf(fields, "reason") }),
    };
  }

  async #looker(request: Native): Promise<Looker> {
    const looker = await this.#door.authorize(request);
    if (looker === undefined) throw new DashboardError(401, "expected a session");
    return looker;
  }

  #refusal(error: unknown): Response {
    const { status, message, retryAfterSeconds } = this.#refusalOf(error);
    return Response.json(
      { error: message },
      {
        status,
        headers: {
          ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
          ...(status === 413 && { connection: "close" }),
        },
      },
    );
  }

  #refusalOf(error: unknown): Pick<DashboardError, "status" | "message" | "retryAfterSeconds"> {
    if (isRefusal(error)) return error;
    if (error instanceof TollgateError)
      return new DashboardError(error.code === "ERR_STORE" ? 503 : 400, error.message);
    this.#onError(error);
    return new DashboardError(500, "the dashboard failed; the log says why");
  }
}

/** Errors of sources and of `authorize` may have a status. Of those, 500 is a failure. */
function isRefusal(error: unknown): error is DashboardError {
  const { status } = (error ?? {}) as Partial<DashboardError>;
  return error instanceof Error && Number.isInteger(status) && status !== 500;
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  } catch {}
  throw new DashboardError(400, "body: expected an object in JSON");
}

function keyIn(fields: Fields): NamedKey {
  const limiter = textOf(fields, "limiter");
  if (fields["id"] !== undefined) return { limiter, id: textOf(fields, "id") };
  const { key } = fields;
  if (Array.isArray(key) && key.every((part) => typeof part === "string")) return { limiter, key };
  return { limiter, key: textOf(fields, "key") };
}

/** Rejects a cost that no limit takes. */
function costIn({ cost = 1 }: Fields): number {
  if (typeof cost === "number" && Number.isSafeInteger(cost) && cost >= 0) return cost;
  throw new DashboardError(400, "cost: expected a whole number from 0");
}

function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === "string") return value;
  throw new DashboardError(400, `${name}: expected a text`);
}

/** Clients that may not change anything see no keys. */
function isShown(query: string, { access }: Looker): boolean {
  return access === "write" && new URLSearchParams(query).get("keys") === "shown";
}

/**
 * Browsers send `Sec-Fetch-Site` to secure origins and to localhost, and `Origin` with each POST. A page of another
 * port of this host is the same site, so its requests have the cookie.
 */
function checkOrigin(call: Call): void {
  const site = call.header("sec-fetch-site");
  const origin = call.header("origin");
  const isOwn =
    origin === undefined ? call.method === "GET" : URL.canParse(origin) && new URL(origin).host === call.header("host");
  if (site === undefined ? isOwn : site === "same-origin") return;
  throw new DashboardError(403, "expected a request of the dashboard's own page");
}

function typed(type: string, body: string | ReadableStream<Uint8Array>): Response {
  return new Response(body, { headers: { "content-type": `${type}; charset=utf-8` } });
}
