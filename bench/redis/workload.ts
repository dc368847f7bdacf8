/** Which keys are asked about. In the order of the report. */
export const WORKLOADS = ["distinct keys", "one hot key", "denied keys"] as const;

export type Workload = (typeof WORKLOADS)[number];

/** So many keys are asked about in turn: distinct ones are many more than are in flight, denied ones fit into every cache of denials. */
export const KEYS: Readonly<Record<Workload, number>> = {
  "distinct keys": 20_000,
  "one hot key": 1,
  "denied keys": 1_000,
};

/** Units that a key has. Ample: more than are used of one. */
export const UNITS: Readonly<Record<Workload, number>> = {
  "distinct keys": 20_000_000,
  "one hot key": 20_000_000,
  "denied keys": 1,
};
