/** A list or an object of plain values. */
type Container = object;

/**
 * A value in the container with a number: the outermost one has the number 0. One that is too long for a message comes
 * empty, with the next number, and what it has comes after it.
 */
type Part = readonly [container: number, key: string, value: unknown, isOpen: boolean];

/** What one message has. */
export type Parts = readonly Part[];

/** They take about a millisecond to receive. */
const VALUES_IN_MESSAGE = 2_000;

/** Cuts a plain value into messages, in its order: receiving a long one at once would block the thread. */
export function* partsOf(value: Container): Generator<Parts, undefined> {
  let parts: Part[] = [];
  let values = 0;
  for (const part of new Cutting().entriesOf(value, 0)) {
    parts.push(part);
    values += countUpTo(VALUES_IN_MESSAGE, part[2]);
    if (values < VALUES_IN_MESSAGE) continue;
    yield parts;
    parts = [];
    values = 0;
  }
  yield parts;
}

class Cutting {
  #open = 0;

  *entriesOf(container: Container, number: number): Generator<Part, void> {
    for (const [key, value] of Object.entries(container)) {
      if (!isContainer(value) || countUpTo(VALUES_IN_MESSAGE, value) < VALUES_IN_MESSAGE) {
        yield [number, key, value, false];
        continue;
      }
      this.#open += 1;
      const own = this.#open;
      yield [number, key, Array.isArray(value) ? [] : {}, true];
      yield* this.entriesOf(value, own);
    }
  }
}

/** Puts a value together again. */
export class JoinedParts {
  readonly value = {};
  readonly #open: Container[] = [this.value];

  add(parts: Parts): void {
    for (const [container, key, value, isOpen] of parts) {
      // Assigning to the key `__proto__` would do something else.
      const property = { value, enumerable: true, writable: true, configurable: true };
      Object.defineProperty(this.#open[container], key, property);
      if (isOpen) this.#open.push(value as Container);
    }
  }
}

/** How many values are in a value, itself among them, or `most` if there are more. */
function countUpTo(most: number, value: unknown): number {
  let count = 1;
  if (!isContainer(value)) return count;
  for (const inner of Object.values(value)) {
    count += countUpTo(most - count, inner);
    if (count >= most) return most;
  }
  return count;
}

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}
