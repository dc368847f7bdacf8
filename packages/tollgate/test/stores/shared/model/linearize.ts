import { type CallName, EVERYWHERE, Reference } from "./reference.ts";
import type { Scenario } from "./scenario.ts";

/** What one thread saw of a run. */
export interface ThreadHistory {
  /** Of its calls that returned: fewer than began if it died in the middle of one. */
  readonly outcomes: readonly string[];
  /** For each call that began: how many calls of each thread had returned by then, a digit each. */
  readonly returnedBefore: readonly string[];
}

/** What came of a run: its calls, in which order as far as that can be told, and how the keys stand after them. */
export interface History {
  readonly threads: readonly ThreadHistory[];
  readonly finalState: ReadonlyMap<string, string>;
}

interface Event extends CallName {
  /** `undefined` of a call that did not return: it may have counted, or not. */
  readonly outcome: string | undefined;
  readonly returnedBefore: string;
}

/**
 * Says whether histories could come of calls that happen one after another, each at a moment between its beginning and its return, decided
 * by the reference. Source: Wing and Gong, "Testing and verifying concurrent objects", 1993. Places are independent objects, and a history
 * is linearizable if it is so for each (Herlihy and Wing, 1990).
 */
export class Linearizer {
  readonly expected = "a history that calls one after another could have";
  readonly #scenario: Scenario;
  readonly #references: ReadonlyMap<string, Reference>;
  readonly #known = new Map<string, boolean>();

  constructor(scenario: Scenario) {
    const { placeOf, keys } = scenario;
    this.#scenario = scenario;
    const places = placeOf === undefined ? [EVERYWHERE] : keys.map(placeOf);
    this.#references = new Map(places.map((place) => [place, new Reference(scenario, place, [])]));
  }

  /** How many histories there have been. */
  get histories(): number {
    return this.#known.size;
  }

  accepts(history: History): boolean {
    const name = JSON.stringify([history.threads, [...history.finalState.values()]]);
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const is = [...this.#references].every(([place, reference]) => this.#isLinearizableAt(place, reference, history));
    this.#known.set(name, is);
    return is;
  }

  #isLinearizableAt(place: string, reference: Reference, { threads, finalState }: History): boolean {
    const events = threads.map((thread, number) => this.#eventsAt(place, number, thread));
    const search = (done: readonly number[], state: Reference): boolean => {
      const isComplete = events.every((list, thread) => list.slice(done[thread]).every(isOpen));
      if (isComplete && agrees(state.finalState(), finalState)) return true;
      return events.some((list, thread) => {
        const event = list[done[thread]!];
        if (event === undefined || !mayComeNext(event, events, done)) return false;
        const next = state.after(event);
        if (!isOpen(event) && next.outcome !== event.outcome) return false;
        return search(done.with(thread, done[thread]! + 1), next);
      });
    };
    return search(
      events.map(() => 0),
      reference,
    );
  }

  /** A thread's calls on one place. */
  #eventsAt(place: string, thread: number, { outcomes, returnedBefore }: ThreadHistory): Event[] {
    const { programs, placeOf } = this.#scenario;
    return returnedBefore
      .map((digits, index) => ({ thread, index, outcome: outcomes[index], returnedBefore: digits }))
      .filter(({ index }) => {
        const { verb, key } = programs[thread]![index]!;
        // What a sweep drops is as good as new.
        if (verb === "sweep") return false;
        return key === "" || placeOf === undefined || placeOf(key) === place;
      });
  }
}

function isOpen({ outcome }: Event): boolean {
  return outcome === undefined;
}

/** Whether all calls that returned before this one began have had their turn. */
function mayComeNext({ returnedBefore }: Event, events: readonly Event[][], done: readonly number[]): boolean {
  return events.every((list, thread) => {
    const next = list[done[thread]!];
    return next === undefined || next.index >= Number(returnedBefore[thread]);
  });
}

function agrees(reference: ReadonlyMap<string, string>, found: ReadonlyMap<string, string>): boolean {
  return [...reference].every(([key, state]) => found.get(key) === state);
}
