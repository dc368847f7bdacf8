import { DashboardError } from "./source.ts";

/** How many pages may look, and how many of one name. */
const MOST_LOOKERS = 24;
const MOST_OF_ONE = 12;
/** A looker that does not read is dropped after so many snapshots that it missed. */
const MOST_MISSED = 30;
/** Then the page has to ask again, so that the right to look is checked again. */
const LONGEST_MS = 15 * 60_000;

export interface LookerSettings {
  readonly who: string;
  readonly isShown: boolean;
}

interface Open extends LookerSettings {
  readonly untilMs: number;
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
  missed: number;
}

/** The pages that look. What one does not read in time it misses: nothing is buffered for it. */
export class Lookers {
  readonly #open = new Set<Open>();
  readonly #encoder = new TextEncoder();

  get count(): number {
    return this.#open.size;
  }

  /** @throws DashboardError 429 */
  add(first: string, nowMs: number, settings: LookerSettings): ReadableStream<Uint8Array> {
    const ofOne = [...this.#open].filter(({ who }) => who === settings.who).length;
    if (this.#open.size >= MOST_LOOKERS || ofOne >= MOST_OF_ONE) {
      throw new DashboardError(429, "too many pages look at the dashboard", 10);
    }
    let one: Open | undefined;
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        one = { ...settings, untilMs: nowMs + LONGEST_MS, controller, missed: 0 };
        this.#open.add(one);
        controller.enqueue(this.#encoder.encode(first));
      },
      cancel: () => {
        if (one !== undefined) this.#open.delete(one);
      },
    });
  }

  /** `textOf` is asked for masked keys and for keys that are shown, as far as lookers need it. */
  send(nowMs: number, textOf: (isShown: boolean) => string): void {
    const bytes = new Map<boolean, Uint8Array>();
    for (const one of this.#open) {
      const { isShown, controller } = one;
      one.missed = (controller.desiredSize ?? 0) > 0 ? 0 : one.missed + 1;
      if (one.missed > MOST_MISSED) this.#drop(one);
      else if (nowMs > one.untilMs) this.#end(one);
      if (one.missed > 0 || !this.#open.has(one)) continue;
      const encoded = bytes.get(isShown) ?? this.#encoder.encode(textOf(isShown));
      bytes.set(isShown, encoded);
      controller.enqueue(encoded);
    }
  }

  close(): void {
    for (const one of this.#open) this.#end(one);
  }

  /** What it has not read is thrown away. */
  #drop(one: Open): void {
    this.#open.delete(one);
    one.controller.error(new DashboardError(408, "the page does not read"));
  }

  #end(one: Open): void {
    this.#open.delete(one);
    one.controller.close();
  }
}

/** A server-sent event. JSON has no line ends. */
export function eventText(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
