import type { History } from "./linearize.ts";
import type { Scenario } from "./scenario.ts";

/** A lease of places in the end. */
interface LastLease {
  readonly number: number;
  readonly size: number;
  readonly free: number;
}

/**
 * Decides whether threads may have lent places so. Those in use and the free ones are as many as the leases have. No
 * lease has more than the server was told and has granted since. A thread that died leaves places in use, which the
 * others cannot lend.
 */
export class PlaceJudge {
  readonly expected = "places that are in use once, and never more than the server counts";
  readonly #scenario: Scenario;
  readonly #known = new Map<string, boolean>();

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
  }

  get histories(): number {
    return this.#known.size;
  }

  accepts({ threads, finalState }: History): boolean {
    const name = JSON.stringify([threads.map(({ outcomes }) => outcomes), [...finalState.values()]]);
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const { before, programs, keys } = this.#scenario;
    const leases = leasesIn(finalState.get(keys[0]!)!);
    const calls = threads.flatMap(({ outcomes }, i) =>
      outcomes.map((outcome, at) => ({ ...programs[i]![at]!, outcome })),
    );
    const hasDied = threads.some(({ outcomes }, i) => outcomes.length < programs[i]!.length);
    const lent = calls.filter(({ verb }) => verb === "reserve" || verb === "cancel");
    const inUse = sumOf(lent.map(({ outcome }) => Number(outcome)));
    const [sizes, free] = [sumOf(leases.map(({ size }) => size)), sumOf(leases.map((lease) => lease.free))];
    const granted = sumOf([...before, ...programs.flat()].map(({ verb, cost }) => (verb === "charge" ? cost : 0)));
    // A thread that is terminated while it frees a place, or once it has lent one, has not returned from that.
    const isConserved = hasDied ? inUse - mostFreed(programs) <= sizes - free : inUse === sizes - free;
    // One that is terminated while it asks has been granted what it wanted, and the lock keeps others from reports.
    const died = threads.flatMap(({ outcomes }, i) => programs[i]![outcomes.length] ?? []);
    const unheard = sumOf(died.map(({ verb, cost }) => (verb === "charge" ? cost : 0)));
    const isAllowed = isConserved && sizes <= granted && leases.every((lease) => isCounted(lease, calls, unheard));
    this.#known.set(name, isAllowed);
    return isAllowed;
  }
}

/** Whether the server counts what a lease has in the end: it knows what it was told last, and what it granted. */
function isCounted(
  { number, size }: LastLease,
  calls: readonly { readonly outcome: string; readonly cost: number }[],
  unheard: number,
): boolean {
  return calls.every(({ outcome, cost }) => {
    const [told, granted] = outcome.split(">");
    const more = Number(granted) === number ? cost : 0;
    return (told === "" ? [] : told!.split(",")).every((report) => {
      const [its, left] = report.split(" ").map(Number);
      if (left === undefined) return true;
      const most = left + more + unheard;
      return more > 0 ? size <= most : its !== number || size <= most;
    });
  });
}

function leasesIn(state: string): LastLease[] {
  if (state === "") return [];
  return state.split(",").map((lease) => {
    const [number, size, free] = lease.split(" ").map(Number);
    return { number: number!, size: size!, free: free! };
  });
}

function mostFreed(programs: Scenario["programs"]): number {
  return programs.flat().some(({ verb }) => verb === "cancel") ? 1 : 0;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
