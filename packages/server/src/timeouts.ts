/** How long the service has patience with a client, in milliseconds. */
export interface Timeouts {
  /** From the start of a request, or of a connection that sends nothing, to the end of its head. */
  readonly headersMs: number;
  /** From the start of a request to the end of its body; not shorter than `headersMs`. */
  readonly requestMs: number;
  /** Between two requests on one connection. */
  readonly keepAliveMs: number;
  /** Without a byte going either way: it ends connections whose client does not read its answers. */
  readonly silenceMs: number;
  /** How often requests are checked for lateness: no timeout of a request is more exact than this. */
  readonly checkIntervalMs: number;
}

export const PATIENCE: Timeouts = {
  headersMs: 10_000,
  requestMs: 15_000,
  keepAliveMs: 5_000,
  silenceMs: 30_000,
  checkIntervalMs: 1_000,
};
