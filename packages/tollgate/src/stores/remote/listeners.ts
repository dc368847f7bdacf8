import { notify } from "../../core/observer.ts";

type Listener<Event> = (event: Event) => void;

/** Functions that are called with each event of a kind. They come and go. */
export class Listeners<Event> {
  isEmpty = true;
  #all: Listener<Event>[] = [];

  /** Returns a function that removes the listener. */
  add(listener: Listener<Event>): () => void {
    // A function of its own, because several callers may pass the same one.
    const added = (event: Event): void => listener(event);
    this.#set([...this.#all, added]);
    return () => this.#set(this.#all.filter((one) => one !== added));
  }

  /** Never throws: `failed` gets the errors of listeners. */
  notify(event: Event, failed?: (error: unknown) => void): void {
    for (const listener of this.#all) notify(listener, event, failed);
  }

  #set(all: Listener<Event>[]): void {
    this.#all = all;
    this.isEmpty = all.length === 0;
  }
}
