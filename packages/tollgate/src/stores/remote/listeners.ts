import { notify } from "../../core/observer.ts";

/** Functions that are called with each event of a kind. They come and go. */
export class Listeners<Event> {
  #all: readonly ((event: Event) => void)[] = [];

  get isEmpty(): boolean {
    return this.#all.length === 0;
  }

  /** Returns a function that removes the listener. */
  add(listener: (event: Event) => void): () => void {
    // A function of its own, because several callers may pass the same one.
    const added = (event: Event): void => listener(event);
    this.#all = [...this.#all, added];
    return () => {
      this.#all = this.#all.filter((one) => one !== added);
    };
  }

  /** Never throws: `failed` gets the errors of listeners. */
  notify(event: Event, failed?: (error: unknown) => void): void {
    for (const listener of this.#all) notify(listener, event, failed);
  }
}
