import type { Server, TlsOptions } from "node:tls";

/** Where a server of TLS gets its certificate. */
export interface Tls {
  readonly options: TlsOptions;
  /** Gives a server the certificates that come later. */
  follow(server: Pick<Server, "setSecureContext">): void;
}
