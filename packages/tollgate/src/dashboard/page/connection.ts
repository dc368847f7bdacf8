import { ROUTES, type Snapshot } from "../snapshot.ts";
import { withSnapshot } from "./view.ts";

/** What the header says. `why` is set where the connection is lost. */
export interface Status {
  readonly name: "Connecting …" | "Live" | "Paused" | "Disconnected" | "Signed out";
  readonly why?: string;
}

/** What is told of a connection. */
interface Listener {
  onStatus(status: Status): void;
  onView(view: Snapshot): void;
  /** Connects again after a while. */
  again(): void;
}

const RETRY_MS = 3_000;
/** A snapshot comes each second, so that a connection without one for so long is gone. */
const SILENCE_MS = 10_000;

/** The route with keys as they are, or masked. */
export function withKeys(route: string, areShown: boolean): string {
  return areShown ? `${route}?keys=shown` : route;
}

/** Reads snapshots until the connection is lost, unless the page is hidden. @returns what ends it. */
export function connect(areKeysShown: boolean, { onStatus, onView, again }: Listener): () => void {
  const connection = new AbortController();
  let isEnded = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const watch = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => connection.abort(new Error("The service is silent")), SILENCE_MS);
  };
  const read = async (): Promise<never> => {
    let view: Snapshot | undefined;
    watch();
    for await (const snapshot of snapshotsOf(withKeys(ROUTES.snapshots, areKeysShown), connection.signal)) {
      watch();
      view = withSnapshot(view, snapshot);
      onView(view);
      onStatus({ name: "Live" });
    }
    throw new Error("The service ended the connection");
  };
  const end = (): void => {
    isEnded = true;
    clearTimeout(timer);
    connection.abort();
  };
  const fail = (error: unknown): void => {
    if (isEnded) return;
    end();
    if (error instanceof SignedOut) onStatus({ name: "Signed out" });
    else {
      onStatus({ name: "Disconnected", why: messageOf(error) });
      // At random, because all pages lose a service at once when it ends.
      timer = setTimeout(again, RETRY_MS * Math.random());
    }
  };
  onStatus({ name: document.hidden ? "Paused" : "Connecting …" });
  if (!document.hidden) void read().catch(fail);
  return end;
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

async function* snapshotsOf(route: string, signal: AbortSignal): AsyncGenerator<Snapshot> {
  const { body } = await answerTo(route, { signal });
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (text + value).split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) yield JSON.parse(event.slice("data: ".length)) as Snapshot;
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
