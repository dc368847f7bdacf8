/** What is sent to a server: one GET after the other on each connection. */
export interface Load {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
}

/** What came back. */
export interface Throughput {
  readonly requests: number;
  readonly seconds: number;
}

/** A program that makes load, in a process of its own. */
export interface Generator {
  /** With its version and what it is called with. */
  readonly name: string;
  /** @throws Error when it could not run, or when an answer was an error. */
  generate(load: Load): Promise<Throughput>;
}
