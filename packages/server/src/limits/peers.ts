/** The other processes of a service that serve the same port. */
export interface Peers {
  /** The name of this process among them. */
  readonly own: string;
  /** Asks another process. `undefined` if it is not there, or takes too long. */
  ask(peer: string, question: unknown): Promise<unknown>;
  /** Says how questions of others are answered. */
  onQuestion(answer: (question: unknown) => Promise<unknown>): void;
}
