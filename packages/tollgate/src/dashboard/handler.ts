import { TollgateError } from "../core/errors.ts";
import { Board } from "./board.ts";
import { PAGE_FILES } from "./page-files.ts";
import { type NamedKey, ROUTES, type SourceAct } from "./snapshot.ts";
import { DashboardError, type DashboardSource, type Looker } from "./source.ts";

/** A request, whatever the server: one of web servers as it is. */
export interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null | undefined };
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | null;
}

/** Which clients may look. */
export interface Door<Native> {
  /** `undefined`: the client has to open a session. @throws DashboardError 403, 429 */
  authorize(request: Native): Looker | undefined | Promise<Looker | undefined>;
  /** The cookie of a new session. `undefined` where there are no sessions. @throws DashboardError 401, 429 */
  readonly openSession?: (token: string, request: Native) => string;
}

const MOST_BODY_BYTES = 16 * 1024;
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
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Tollgate</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${ROUTES.style}">
<script type="module" src="${ROUTES.script}"></script>
<body><div id="app"></div></body>
</html>
`;
const FILES: ReadonlyMap<string, readonly [type: string, text: string]> = new Map([
  ["", ["text/html", PAGE]],
  [ROUTES.script, ["text/javascript", PAGE_FILES.script]],
  [ROUTES.style, ["text/css", PAGE_FILES.style]],
]);
const POSTED: readonly string[] = [ROUTES.session, ROUTES.key, ROUTES.act];
const KEY_ACTIONS: readonly string[] = ["reset", "block", "unblock"];
const MODE_ACTIONS: readonly string[] = ["on", "shadow", "off", "restore"];

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
    if (!URL.canParse(call.url)) throw new DashboardError(400, "expected a host and a path");
    const { pathname, searchParams } = new URL(call.url);
    const name = pathname.slice(pathname.lastIndexOf("/") + 1);
    const method = POSTED.includes(name) ? "POST" : "GET";
    if (call.method !== method) throw new DashboardError(405, `expected ${method}`);
    const file = FILES.get(name);
    if (file !== undefined) return typed(...file);
    if (method === "GET" && name !== ROUTES.snapshots) {
      if (name.includes(".")) throw new DashboardError(404, "not found");
      // The page's links are relative to its folder.
      return new Response(null, { status: 302, headers: { location: `./${name}/` } });
    }
    checkOrigin(call);
    if (method === "POST" && !JSON_TYPE.test(call.headers.get("content-type") ?? ""))
      throw new DashboardError(415, "content-type: expected application/json");
    if (name !== ROUTES.session) return this.#tell(name, searchParams, call, request);
    const cookie = this.#door.openSession?.(textOf(await fieldsOf(call), "token"), request);
    return new Response(null, { status: 204, ...(cookie !== undefined && { headers: { "set-cookie": cookie } }) });
  }

  async #tell(name: string, query: URLSearchParams, call: Call, request: Native): Promise<Response> {
    // Before the body is read.
    const looker = await this.#door.authorize(request);
    if (looker === undefined) throw new DashboardError(401, "expected a session");
    // Clients that may not change anything see no keys.
    const isShown = looker.access === "write" && query.get("keys") === "shown";
    if (name === ROUTES.snapshots) return typed("text/event-stream", await this.board.look(looker, isShown));
    if (name === ROUTES.act && looker.access === "read") throw new DashboardError(403, "you may only look");
    const fields = await fieldsOf(call);
    if (name === ROUTES.act) return Response.json(await this.#source.act(this.#actIn(fields), looker));
    return Response.json(await this.board.detail(this.board.find(keyIn(fields)), costIn(fields), isShown));
  }

  #actIn(fields: Fields): SourceAct {
    const action = textOf(fields, "action");
    const isOfKey = KEY_ACTIONS.includes(action);
    if (!(isOfKey || MODE_ACTIONS.includes(action)))
      throw new DashboardError(400, "action: expected reset, block, off …");
    return {
      action: action as SourceAct["action"],
      limiter: textOf(fields, "limiter"),
      ...(isOfKey && { key: this.board.find(keyIn(fields)).key }),
      ...(fields["for"] !== undefined && { for: textOf(fields, "for") }),
      ...(fields["reason"] !== undefined && { reason: textOf(fields, "reason") }),
    };
  }

  #refusal(error: unknown): Response {
    const { status, message, retryAfterSeconds } = this.#refusalOf(error);
    const headers = {
      ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
      ...(status === 413 && { connection: "close" }),
    };
    return Response.json({ error: message }, { status, headers });
  }

  /** Errors of sources and of `authorize` may have a status. Of those, 500 is a failure. */
  #refusalOf(error: unknown): Pick<DashboardError, "status" | "message" | "retryAfterSeconds"> {
    const { status } = (error ?? {}) as Partial<DashboardError>;
    if (error instanceof Error && Number.isInteger(status) && status !== 500) return error as DashboardError;
    if (error instanceof TollgateError)
      return new DashboardError(error.code === "ERR_STORE" ? 503 : 400, error.message);
    this.#onError(error);
    return new DashboardError(500, "the dashboard failed; the log says why");
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** @throws DashboardError 400, 413 */
async function fieldsOf({ body }: Call): Promise<Fields> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BODY_BYTES) throw new DashboardError(413, `expected at most ${MOST_BODY_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  try {
    const value: unknown = JSON.parse(text + decoder.decode());
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  } catch {}
  throw new DashboardError(400, "body: expected an object in JSON");
}

/** The parts of a key are checked where it is encoded. */
function keyIn(fields: Fields): NamedKey {
  const limiter = textOf(fields, "limiter");
  if (fields["id"] !== undefined) return { limiter, id: textOf(fields, "id") };
  const { key } = fields;
  return { limiter, key: Array.isArray(key) ? key : textOf(fields, "key") };
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

/**
 * Browsers send `Sec-Fetch-Site` to secure origins and to localhost, and `Origin` with each POST. A page of another
 * port of this host is the same site, so its requests have the cookie.
 */
function checkOrigin({ method, url, headers }: Call): void {
  const site = headers.get("sec-fetch-site") ?? undefined;
  const origin = headers.get("origin") ?? undefined;
  const isOwn =
    origin === undefined ? method === "GET" : URL.canParse(origin) && new URL(origin).host === new URL(url).host;
  if (site === undefined ? isOwn : site === "same-origin") return;
  throw new DashboardError(403, "expected a request of the dashboard's own page");
}

function typed(type: string, body: string | ReadableStream<Uint8Array>): Response {
  return new Response(body, { headers: { "content-type": `${type}; charset=utf-8` } });
}
