import { TollgateError } from "../core/errors.ts";
import { Board, checkCostOf } from "./board.ts";
import { PAGE_FILES } from "./page-files.ts";
import { type ActRequest, type NamedKey, ROUTES, type SessionRequest } from "./snapshot.ts";
import { DashboardError, type DashboardSource, type Looker, type SourceAct } from "./source.ts";

/** A request, whatever the server. */
export interface Call {
  readonly method: string;
  /** The whole target, also where a framework has taken the beginning of the path away. */
  readonly target: string;
  header(name: string): string | undefined;
  /** The body. @throws DashboardError 413 */
  text(): Promise<string>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | ReadableStream<Uint8Array>;
}

/** Which clients may look. */
export interface Door<Native> {
  /** `undefined`: the client has to open a session. @throws DashboardError 403, 429 */
  authorize(request: Native): Looker | undefined | Promise<Looker | undefined>;
  /** The cookie of a new session. `undefined` where there are no sessions. @throws DashboardError 401, 429 */
  readonly openSession?: (token: string, request: Native) => string;
}

const JSON_TYPE = /^application\/json\s*(;|$)/i;
const SECURITY: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
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
const MODES = ["on", "shadow", "off"];

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

  async answer(call: Call, request: Native): Promise<Reply> {
    try {
      const reply = await this.#route(call, request);
      return { ...reply, headers: { ...SECURITY, ...reply.headers } };
    } catch (error) {
      const { status, message, retryAfterSeconds } = this.#refusalOf(error);
      const retry = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
      const close = status === 413 ? { connection: "close" } : {};
      return json(status, { error: message }, { ...SECURITY, ...retry, ...close });
    }
  }

  async #route(call: Call, request: Native): Promise<Reply> {
    const [path = "", query = ""] = call.target.split("#", 1)[0]!.split("?", 2);
    const name = path.slice(path.lastIndexOf("/") + 1);
    const isAction = name === ROUTES.session || name === ROUTES.key || name === ROUTES.act;
    const methods = isAction ? ["POST"] : ["GET", "HEAD"];
    if (!methods.includes(call.method)) throw new DashboardError(405, `expected ${methods[0]}`);
    if (isAction) return this.#act(name, query, call, request);
    switch (name) {
      case "":
        return typed("text/html", PAGE);
      case ROUTES.script:
        return typed("text/javascript", PAGE_FILES.script);
      case ROUTES.style:
        return typed("text/css", PAGE_FILES.style);
      case ROUTES.snapshots:
        return this.#look(query, call, request);
      default:
        if (name.includes(".")) throw new DashboardError(404, "not found");
        // The page's links are relative to its folder.
        return { status: 302, headers: { location: `${name}/` }, body: "" };
    }
  }

  async #look(query: string, call: Call, request: Native): Promise<Reply> {
    // A page of another port of this host is the same site, so its requests have the cookie.
    if ((call.header("sec-fetch-site") ?? "same-origin") !== "same-origin") throw foreign();
    const looker = await this.#looker(request);
    if (call.method === "HEAD") return typed("text/event-stream", "");
    const body = this.board.look(looker, isShown(query, looker));
    // Proxies and middleware that compress would hold events back.
    const unbuffered = { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" };
    return { status: 200, headers: { "content-type": "text/event-stream", ...unbuffered }, body };
  }

  async #act(name: string, query: string, call: Call, request: Native): Promise<Reply> {
    checkOrigin(call);
    if (!JSON_TYPE.test(call.header("content-type") ?? "")) {
      throw new DashboardError(415, "content-type: expected application/json");
    }
    if (name === ROUTES.session) {
      const { token } = fieldsOf(await call.text()) as Partial<SessionRequest>;
      const cookie = this.#door.openSession?.(textOf(token, "token"), request);
      return { status: 204, headers: cookie === undefined ? {} : { "set-cookie": cookie }, body: "" };
    }
    // Before the body is read.
    const looker = await this.#looker(request);
    if (name === ROUTES.act && looker.access === "read") throw new DashboardError(403, "you may only look");
    const fields = fieldsOf(await call.text());
    if (name === ROUTES.act) return json(200, await this.#source.act(this.#actIn(fields), looker));
    const cost = checkCostOf(fields["cost"]);
    return json(200, await this.board.detail(this.board.find(keyIn(fields)), cost, isShown(query, looker)));
  }

  #actIn(fields: Fields): SourceAct {
    const limiter = textOf(fields["limiter"], "limiter");
    const action = fields["action"] as ActRequest["action"];
    if (action === "restore") return { action, limiter };
    if (MODES.includes(action)) {
      return { action: action as "on", limiter, for: textOf(fields["for"], "for") };
    }
    const { key } = this.board.find(keyIn(fields));
    if (action === "reset" || action === "unblock") return { action, limiter, key };
    if (action !== "block") throw new DashboardError(400, "action: expected reset, block, unblock, on, shadow …");
    const { reason } = fields;
    const span = textOf(fields["for"], "for");
    return { action, limiter, key, for: span, ...(reason !== undefined && { reason: textOf(reason, "reason") }) };
  }

  async #looker(request: Native): Promise<Looker> {
    const looker = await this.#door.authorize(request);
    if (looker === undefined) throw new DashboardError(401, "expected a session");
    return looker;
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

function keyIn({ limiter: name, id, key }: Fields): NamedKey {
  const limiter = textOf(name, "limiter");
  if (id !== undefined) return { limiter, id: textOf(id, "id") };
  if (Array.isArray(key) && key.every((part) => typeof part === "string")) return { limiter, key };
  return { limiter, key: textOf(key, "key") };
}

function textOf(value: unknown, name: string): string {
  if (typeof value === "string") return value;
  throw new DashboardError(400, `${name}: expected a text`);
}

/** Clients that may not change anything see no keys. */
function isShown(query: string, { access }: Looker): boolean {
  return access === "write" && new URLSearchParams(query).get("keys") === "shown";
}

/** Browsers send `Sec-Fetch-Site` to secure origins and to localhost, and `Origin` with each POST. */
function checkOrigin(call: Call): void {
  const site = call.header("sec-fetch-site");
  const origin = call.header("origin") ?? "";
  const isOwn = site === undefined ? URL.canParse(origin) && new URL(origin).host === call.header("host") : false;
  if (site !== "same-origin" && !isOwn) throw foreign();
}

function foreign(): DashboardError {
  return new DashboardError(403, "expected a request of the dashboard's own page");
}

function typed(type: string, body: string): Reply {
  return { status: 200, headers: { "content-type": `${type}; charset=utf-8` }, body };
}

function json(status: number, value: unknown, headers: Reply["headers"] = {}): Reply {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
    body: JSON.stringify(value),
  };
}
