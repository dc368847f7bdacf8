import { DashboardError } from "./source.ts";

/** How many pages may look, and how many of one name: a token cannot keep all others out. */
const MOST_LOOKERS = 24;
const MOST_OF_ONE = 12;
/** A page that misses so many snapshots in turn is gone, although its connection is not. */
const MOST_MISSED = 30;
/** Then a page has to ask again, so that the right to look is checked again. */
const LONGEST_MS = 15 * 60_000;

interface Looking {
  readonly who: string;
  readonly isShown: boolean;
  readonly untilMs: number;
  missed: number;
}

/** The pages that look. What one does not read in time it misses: nothing is buffered for it. */
export class Lookers {
  readonly #open = new Map<ReadableStreamDefaultController<Uint8Array>, Looking>();

  get count(): number {
    return this.#open.size;
  }

  /** @throws DashboardError 429 */
  add(first: object, nowMs: number, who: string, isShown: boolean): ReadableStream<Uint8Array> {
    const ofOne = [...this.#open.values()].filter((looking) => looking.who === who).length;
    if (this.#open.size >= MOST_LOOKERS || ofOne >= MOST_OF_ONE)
      throw new DashboardError(429, "too many pages look at the dashboard", 10);
    let end = (): void => {};
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#open.set(controller, { who, isShown, untilMs: nowMs + LONGEST_MS, missed: 0 });
        controller.enqueue(eventOf(first));
        end = () => void this.#open.delete(controller);
      },
      cancel: () => end(),
    });
  }

  /** `snapshotOf` is asked for masked keys and for keys that are shown, as far as pages need it. */
  send(nowMs: number, snapshotOf: (isShown: boolean) => object): void {
    const events = new Map<boolean, Uint8Array>();
    for (const [controller, looking] of this.#open) {
      const { isShown, untilMs } = looking;
      looking.missed = (controller.desiredSize ?? 0) > 0 ? 0 : looking.missed + 1;
      if (nowMs > untilMs || looking.missed > MOST_MISSED) this.#end(controller);
      else if (looking.missed === 0) {
        const event = events.get(isShown) ?? eventOf(snapshotOf(isShown));
        events.set(isShown, event);
        controller.enqueue(event);
      }
    }
  }

  close(): void {
    for (const controller of this.#open.keys()) this.#end(controller);
  }

  /** A page that does not read would not see the end. What it has not read is thrown away. */
  #end(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#open.delete(controller);
    if ((controller.desiredSize ?? 0) > 0) controller.close();
    else controller.error(new DashboardError(408, "the page does not read"));
  }
}

/** A server-sent event. JSON has no line ends. */
function eventOf(snapshot: object): Uint8Array {
  return new TextEncoder().encode(`data: ${JSON.stringify(snapshot)}\n\n`);
}
