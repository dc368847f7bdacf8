/** The other processes of a service that serve the same port. */
export interface Peers {
  /** The name of this process among them. */
  readonly own: string;
  /** The names of all of them. */
  readonly names: ReadonlySet<string>;
  /** Whether the primary process has the memory in which all of them count. */
  readonly countInPrimary: boolean;
  /** Asks another process. `undefined` if it is away, or takes too long. */
  ask(peer: string, question: unknown): Promise<unknown>;
  /** Says how questions of others are answered. */
  onQuestion(answer: (question: unknown) => Promise<unknown>): void;
}
