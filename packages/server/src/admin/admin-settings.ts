import type { AdminToken } from "./admin-token.ts";

export interface AdminSettings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Names of this service that may be in `Host`, beside `localhost` and addresses. */
  readonly hosts: readonly string[];
  /** The tokens of which a client has to send one; `undefined` asks for none, and takes no changes. */
  readonly tokens: readonly AdminToken[] | undefined;
}
