/** What the gate may know of a request, whatever the framework. By default it is the limiter's input. */
export interface HttpFacts {
  readonly method: string;
  /** The path without the query, as it was sent: one route has many spellings. */
  readonly path: string;
  /** The address of the socket's peer; `undefined` for a unix socket or a peer that is gone. */
  readonly remoteAddress: string | undefined;
  /** A header's value by its name in any case; several are joined by a comma and a space. */
  header(name: string): string | undefined;
}
