import { ROUTES, type Snapshot, type Welcome } from "../snapshot.ts";
import { type View, withSnapshot } from "./view.ts";

/** What the header says. `why` is set where the connection is lost. */
export interface Status {
  readonly name: "Connecting …" | "Live" | "Paused" | "Disconnected" | "Signed out";
  readonly why?: string;
}

export interface Connection {
  /** Connects now. */
  again(): void;
  /** Asks for keys as they are, or masked. */
  showKeys(shown: boolean): void;
}

const RETRY_MS = 3_000;
/** A snapshot comes each second, so that a connection without one for so long is gone. */
const SILENCE_MS = 6_000;

/** Reads snapshots while the page is visible, and connects again after each loss. */
export function connect(onStatus: (status: Status) => void, onView: (view: View) => void): Connection {
  let connection = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let route: string = ROUTES.snapshots;
  const read = async (own: AbortController): Promise<never> => {
    let welcome: Welcome | undefined;
    let view: View | undefined;
    for await (const [name, data] of eventsOf(route, own)) {
      if (name === "welcome") welcome = JSON.parse(data) as Welcome;
      else if (welcome !== undefined) {
        view = withSnapshot(view, welcome, JSON.parse(data) as Snapshot);
        onView(view);
        onStatus({ name: "Live" });
      }
    }
    throw new Error("The service ended the connection");
  };
  const start = async (): Promise<void> => {
    clearTimeout(timer);
    connection.abort();
    const own = new AbortController();
    connection = own;
    onStatus({ name: document.hidden ? "Paused" : "Connecting …" });
    if (document.hidden) return;
    try {
      await read(own);
    } catch (error) {
      if (connection !== own) return;
      own.abort();
      if (error instanceof SignedOut) return onStatus({ name: "Signed out" });
      onStatus({ name: "Disconnected", why: messageOf(error) });
      // At random, because all pages lose a service at once when it ends.
      timer = setTimeout(() => void start(), RETRY_MS * Math.random());
    }
  };
  document.addEventListener("visibilitychange", () => void start());
  void start();
  return {
    again: () => void start(),
    showKeys(shown) {
      route = shown ? `${ROUTES.snapshots}?keys=shown` : ROUTES.snapshots;
      void start();
    },
  };
}

/** Browsers throw a TypeError without words of use if there is no answer. */
export function messageOf(error: unknown): string {
  if (error instanceof TypeError) return "The service does not answer";
  return error instanceof Error ? error.message : String(error);
}

class SignedOut extends Error {
  constructor() {
    super("Sign in first");
  }
}

/** Ends only with the connection. */
async function* eventsOf(route: string, connection: AbortController): AsyncGenerator<readonly [string, string]> {
  const watch = () => setTimeout(() => connection.abort(new Error("The service is silent")), SILENCE_MS);
  let silence = watch();
  try {
    const { body } = await answerTo(route, { signal: connection.signal });
    if (body === null) return;
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ""; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(silence);
      silence = watch();
      const events = (text + value).split("\n\n");
      text = events.pop() ?? "";
      for (const event of events) {
        const [, name = "", data = ""] = /^event: (\w+)\ndata: (.*)$/m.exec(event) ?? [];
        yield [name, data];
      }
    }
  } finally {
    clearTimeout(silence);
  }
}

async function answerTo(route: string, init: RequestInit): Promise<Response> {
  const response = await fetch(route, init);
  if (response.ok) return response;
  if (response.status === 401 && route !== ROUTES.session) throw new SignedOut();
  // A proxy's own page has no JSON.
  const refusal = (await response.json().catch(() => ({}))) as { readonly error?: string };
  throw new Error(refusal.error ?? `The service answered ${response.status}`);
}

/** The answer, as JSON; `undefined` if it has no body. */
export async function post<Answer>(route: string, body: unknown): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  const response = await answerTo(route, { method: "POST", headers, body: JSON.stringify(body) });
  return (response.status === 204 ? undefined : await response.json()) as Answer;
}
