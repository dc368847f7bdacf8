/** A load on the fleet. All limits are a bucket of `CAPACITY` units that refills in a second, or one per key. */
export interface Load {
  readonly id: string;
  readonly title: string;
  readonly capacity: number;
  readonly keys: number;
  /** Calls a second of each node; undefined for pulses. */
  readonly perSecond: readonly number[];
  /** All calls of a period come at once. */
  readonly pulseMs?: number;
  /** Each call takes the next key. By default Zipf's law chooses. */
  readonly inTurn?: true;
  /** Each second a process is replaced by another one, which takes nothing over. */
  readonly restarts?: true;
}

export const NODES = 4;
const CAPACITY = 1_000;

export const LOADS: readonly Load[] = [
  even("0.5", "0.5 × the rate", 0.5),
  even("0.95", "0.95 × the rate", 0.95),
  even("2", "2 × the rate", 2),
  even("5", "5 × the rate", 5),
  {
    id: "skewed",
    title: "2 × the rate, 90 % of it on one node",
    capacity: CAPACITY,
    keys: 1,
    perSecond: [1_800, 67, 67, 67],
  },
  { ...even("pulses", "pulses of 2 capacities, 1.25 s apart", 1.6), pulseMs: 1_250 },
  { ...even("restarts", "0.95 × the rate, a node replaced each second", 0.95), restarts: true },
  {
    id: "zipf",
    title: "10,000 keys of 100 a second, chosen by Zipf's law",
    capacity: 100,
    keys: 10_000,
    perSecond: Array.from({ length: NODES }, () => 1_000),
  },
  {
    id: "at once",
    title: "1,500 keys of 100 a second, all at once, five times a second",
    capacity: 100,
    keys: 1_500,
    perSecond: Array.from({ length: NODES }, () => 7_500),
    pulseMs: 200,
    inTurn: true,
  },
];

function even(id: string, title: string, factor: number): Load {
  const perSecond = Array.from({ length: NODES }, () => (factor * CAPACITY) / NODES);
  return { id, title, capacity: CAPACITY, keys: 1, perSecond };
}

/** How many calls a node has made so long after the start. */
export function callsBy({ perSecond, pulseMs }: Load, node: number, passedMs: number): number {
  const countedMs = pulseMs === undefined ? passedMs : (Math.floor(passedMs / pulseMs) + 1) * pulseMs;
  return Math.floor((countedMs / 1_000) * perSecond[node]!);
}
