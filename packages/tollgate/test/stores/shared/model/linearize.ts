import { type CallName, EVERYWHERE, Reference } from "./reference.ts";
import type { Scenario } from "./scenario.ts";

/** One thread's part of a run. */
export interface ThreadHistory {
  /** The outcomes of its calls that returned. If it died in the middle of a call, that one has none. */
  readonly outcomes: readonly string[];
  /** For each call: how many calls of each thread had returned when it began, one digit for each thread. */
  readonly returnedBefore: readonly string[];
}

/** The result of a run: the calls' outcomes, their partial order, and the final state of the keys. */
export interface History {
  readonly threads: readonly ThreadHistory[];
  readonly finalState: ReadonlyMap<string, string>;
}

interface Event extends CallName {
  /** `undefined` for a call that did not return: it may have counted or not. */
  readonly outcome: string | undefined;
  readonly returnedBefore: string;
}

/**
 * Decides whether a history is linearizable: whether sequential calls of the reference, each at a moment between its
 * beginning and its return, could have the same outcomes. Source: Wing and Gong, "Testing and verifying concurrent
 * objects", 1993. Places are independent objects, and a history is linearizable if it is for each object (Herlihy and
 * Wing, 1990).
 */
export class Linearizer {
  readonly expected = "a history that sequential calls could have";
  readonly #scenario: Scenario;
  readonly #references: ReadonlyMap<string, Reference>;
  readonly #known = new Map<string, boolean>();

  constructor(scenario: Scenario) {
    const { placeOf, keys } = scenario;
    this.#scenario = scenario;
    const places = placeOf === undefined ? [EVERYWHERE] : keys.map(placeOf);
    this.#references = new Map(places.map((place) => [place, Reference.beginning(scenario, place)]));
  }

  /** How many different histories there have been. */
  get histories(): number {
    return this.#known.size;
  }

  accepts(history: History): boolean {
    // Outcomes have no control characters.
    const threads = history.threads.map(
      ({ outcomes, returnedBefore }) => `${outcomes.join("\n")}\r${returnedBefore.join()}`,
    );
    const name = `${threads.join("\t")}\t${[...history.finalState.values()].join("\n")}`;
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
        // A sweep drops only idle keys, which changes no outcome.
        if (verb === "sweep") return false;
        return key === "" || placeOf === undefined || placeOf(key) === place;
      });
  }
}

function isOpen({ outcome }: Event): boolean {
  return outcome === undefined;
}

/** Whether all calls that returned before this one began are done. */
function mayComeNext({ returnedBefore }: Event, events: readonly Event[][], done: readonly number[]): boolean {
  return events.every((list, thread) => {
    const next = list[done[thread]!];
    return next === undefined || next.index >= Number(returnedBefore[thread]);
  });
}

function agrees(reference: ReadonlyMap<string, string>, found: ReadonlyMap<string, string>): boolean {
  return [...reference].every(([key, state]) => found.get(key) === state);
}
