import { type Refusal, ROUTES, type Snapshot, type Welcome } from "../snapshot.ts";
import { type View, withSnapshot } from "./view.ts";

export type Status =
  | { readonly name: "connecting" | "connected" | "signed-out" | "hidden" }
  | { readonly name: "lost"; readonly why: string };

export interface Connection {
  /** Connects now. */
  again(): void;
  /** Asks for keys as they are, or masked. */
  showKeys(shown: boolean): void;
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
/** A snapshot comes each second, so that a connection without one for so long is gone. */
const SILENCE_MS = 6_000;

/** Reads snapshots while the page is visible, and connects again after each loss. */
export function connect(onStatus: (status: Status) => void, onView: (view: View) => void): Connection {
  let welcome: Welcome | undefined;
  let view: View | undefined;
  let connection: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let retryMs = FIRST_RETRY_MS;
  let route: string = ROUTES.snapshots;

  const start = (): void => {
    clearTimeout(timer);
    connection?.abort();
    connection = undefined;
    if (document.hidden) {
      onStatus({ name: "hidden" });
      return;
    }
    const own = new AbortController();
    connection = own;
    onStatus({ name: "connecting" });
    read(route, own, (name, data) => {
      if (name === "welcome") {
        welcome = JSON.parse(data) as Welcome;
        view = undefined;
      }
      if (name !== "snapshot" || welcome === undefined) return;
      retryMs = FIRST_RETRY_MS;
      view = withSnapshot(view, welcome, JSON.parse(data) as Snapshot);
      onView(view);
      onStatus({ name: "connected" });
    }).catch((error: unknown) => {
      if (connection !== own) return;
      own.abort();
      if (error instanceof SignedOut) {
        onStatus({ name: "signed-out" });
        return;
      }
      onStatus({ name: "lost", why: messageOf(error) });
      // At random, because all pages lose a service at once when it ends.
      timer = setTimeout(start, retryMs * (0.75 + Math.random() / 2));
      retryMs = Math.min(LONGEST_RETRY_MS, 2 * retryMs);
    });
  };
  document.addEventListener("visibilitychange", start);
  start();
  return {
    again: start,
    showKeys(shown) {
      route = shown ? `${ROUTES.snapshots}?keys=shown` : ROUTES.snapshots;
      start();
    },
  };
}

/** Browsers throw a TypeError without words of use if there is no answer. */
export function messageOf(error: unknown): string {
  if (error instanceof TypeError) return "The service does not answer";
  return error instanceof Error ? error.message : String(error);
}

class SignedOut extends Error {}

type OnEvent = (name: string, data: string) => void;

/** Always rejects at last: the server ends no stream that works. */
async function read(route: string, connection: AbortController, onEvent: OnEvent): Promise<never> {
  const { signal } = connection;
  const watch = (): ReturnType<typeof setTimeout> =>
    setTimeout(() => connection.abort(new Error("The service is silent")), SILENCE_MS);
  let silence = watch();
  try {
    const response = await fetch(route, { signal, headers: { accept: "text/event-stream" } });
    if (response.status === 401) throw new SignedOut();
    if (!response.ok || response.body === null) throw new Error(await problemOf(response));
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ""; ; ) {
      const { done, value } = await reader.read();
      if (done) throw new Error("The service ended the connection");
      clearTimeout(silence);
      silence = watch();
      const events = (text + value).split("\n\n");
      text = events.pop() ?? "";
      for (const event of events) {
        const [, name = "", data = ""] = /^event: (\w+)\ndata: (.*)$/m.exec(event) ?? [];
        onEvent(name, data);
      }
    }
  } finally {
    clearTimeout(silence);
  }
}

async function problemOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    return (JSON.parse(text) as Refusal).error;
  } catch {
    // A proxy's own page.
    return `The service answered ${response.status}`;
  }
}

/** The answer, as JSON; `undefined` if it has no body. */
export async function post<Answer>(path: string, body: unknown): Promise<Answer> {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(response.status === 401 ? "Sign in first" : await problemOf(response));
  return (response.status === 204 ? undefined : await response.json()) as Answer;
}
