/** A random generator with a seed. Source: mulberry32. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 up to 1. */
  part(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both bounds included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.part() * (most - least + 1));
  }

  chance(part: number): boolean {
    return this.part() < part;
  }

  of<T>(choices: readonly T[]): T {
    const choice = choices[this.between(0, choices.length - 1)];
    if (choice === undefined) throw new Error("expected something to choose from");
    return choice;
  }

  /** One of the names, by weight. */
  weighted<Name extends string>(weights: Partial<Readonly<Record<Name, number>>>): Name {
    const names = Object.keys(weights) as Name[];
    let left = this.part() * names.reduce((sum, name) => sum + (weights[name] ?? 0), 0);
    for (const name of names) {
      left -= weights[name] ?? 0;
      if (left < 0) return name;
    }
    return this.of(names);
  }
}
