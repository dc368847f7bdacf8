/** What a worker thread is asked to do. */
export interface Job {
  readonly id: number;
  readonly client: string;
  readonly frames: number;
}

/** What a worker thread has done: fewer frames than asked if the client's limit was reached. */
export interface Done {
  readonly id: number;
  readonly rendered: number;
  readonly retryAfterMs: number;
}
