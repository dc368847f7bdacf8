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
  const leaveOut = (): void => {
    isComplete = false;
  };
  const sources = slots.filter(({ isReady }) => isReady).map((slot) => latestFirst(slot, leaveOut));
  const heads = await Promise.all(sources.map((source) => source.next()));
  const entries: RecentEntry[] = [];
  let characters = 0;
  for (;;) {
    const timesMs = heads.map(({ done, value }) => (done === true ? Number.NEGATIVE_INFINITY : value.atMs));
    const latest = timesMs.indexOf(Math.max(...timesMs));
    const entry = heads[latest]?.value;
    if (entry === undefined) break;
    characters += entry.characters;
    const isFull = entries.length >= RECENT_BOUNDS.requests || characters > RECENT_BOUNDS.characters;
    if (isFull || performance.now() - startedMs > ALL_MS) {
      leaveOut();
      break;
    }
    entries.push(entry);
    heads[latest] = await sources[latest]!.next();
  }
  return { requests: entries.toReversed().map(requestOf), isComplete };
}

/** The requests of one worker. `leaveOut` is called if some are missing. */
async function* latestFirst(slot: WorkerSlot, leaveOut: () => void): AsyncGenerator<RecentEntry, undefined> {
  for (let before: number | undefined; ; ) {
    const answered = await slot.ask({ what: "requests", before }, PATIENCE_MS);
    const page = answered.kind === "answer" ? (answered.content as RecentPage | undefined) : undefined;
    if (page?.isComplete !== true) leaveOut();
    if (page === undefined || page.entries.length === 0) return;
    yield* page.entries.toReversed();
    before = page.first;
  }
}
