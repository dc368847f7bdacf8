import {
  RECENT_BOUNDS,
  type RecentEntry,
  type RecentPage,
  type RecentTraffic,
  requestOf,
} from "../limits/recent-requests.ts";
import type { RecentSource } from "../operations/operation-settings.ts";
import type { WorkerSlot } from "./worker-slot.ts";

/** How long a worker may take for a page. */
const PATIENCE_MS = 2_000;
/** How long all pages may take. What has not come by then is left out. */
const ALL_MS = 10_000;

/** The requests of the last minute that all workers have kept, at most as many as one process keeps. */
export function requestsOf(slots: readonly WorkerSlot[]): RecentSource {
  return { collect: () => collect(slots) };
}

/** The latest ones come first, page by page, so that not more is held than is returned. */
async function collect(slots: readonly WorkerSlot[]): Promise<RecentTraffic> {
  const startedMs = performance.now();
  // A worker that has died has taken its requests with it.
  let isComplete = slots.every(({ isReady, diedMsAgo }) => isReady && diedMsAgo > RECENT_BOUNDS.ms);
  const sources = slots.filter(({ isReady }) => isReady).map((slot) => new WorkerRequests(slot));
  await Promise.all(sources.map((source) => source.load()));
  const entries: RecentEntry[] = [];
  let characters = 0;
  for (;;) {
    const source = latestOf(sources);
    const entry = source?.latest;
    if (source === undefined || entry === undefined) break;
    characters += entry.characters;
    const isFull = entries.length >= RECENT_BOUNDS.requests || characters > RECENT_BOUNDS.characters;
    if (isFull || performance.now() - startedMs > ALL_MS) {
      isComplete = false;
      break;
    }
    entries.push(entry);
    source.drop();
    if (source.latest === undefined) await source.load();
  }
  isComplete = isComplete && sources.every((source) => source.isComplete);
  return { requests: entries.toReversed().map(requestOf), isComplete };
}

function latestOf(sources: readonly WorkerRequests[]): WorkerRequests | undefined {
  let found: WorkerRequests | undefined;
  for (const source of sources) {
    const { latest } = source;
    if (latest !== undefined && latest.atMs >= (found?.latest?.atMs ?? Number.NEGATIVE_INFINITY)) found = source;
  }
  return found;
}

/** The requests of one worker, the latest ones first. */
class WorkerRequests {
  readonly #slot: WorkerSlot;
  #entries: RecentEntry[] = [];
  #before: number | undefined;
  #isComplete = true;

  constructor(slot: WorkerSlot) {
    this.#slot = slot;
  }

  /** `undefined` if no request is left, or the next page has to be loaded. */
  get latest(): RecentEntry | undefined {
    return this.#entries.at(-1);
  }

  /** Whether no request was left out so far. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  drop(): void {
    this.#entries.pop();
  }

  /** Loads the next page. */
  async load(): Promise<void> {
    const answered = await this.#slot.ask({ what: "requests", before: this.#before }, PATIENCE_MS);
    const page = answered.kind === "answer" ? (answered.content as RecentPage | undefined) : undefined;
    if (page === undefined) {
      this.#isComplete = false;
      return;
    }
    this.#entries = [...page.entries];
    this.#before = page.first;
    this.#isComplete &&= page.isComplete;
  }
}
