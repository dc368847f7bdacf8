export interface ThreadsOrder {
  readonly threads: number;
  readonly keys: number;
  readonly windowMs: number;
}

/** The rows of the clusters. */
export type Rival = "tollgate" | "flexible";

export interface ClusterOrder {
  readonly workers: number;
  readonly rival: Rival;
  readonly windowMs: number;
}

/** Decisions a microsecond of all workers together, and the processor time of the primary for each of them. */
export type ClusterFigures = { readonly perUs: number; readonly primaryUs: number };
