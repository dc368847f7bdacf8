import type { StoreClient } from "tollgate/redis";
import type { ClientName } from "./flood.ts";

/** The address of Redis: a port of this machine, and for Upstash a URL. */
export interface Whereabouts {
  readonly port: number;
  readonly upstash?: { readonly url: string; readonly token: string };
  /** Glide's own timeout. */
  readonly requestTimeoutMs?: number;
}

export interface OpenedClient {
  readonly client: StoreClient;
  /** Resolves after the client has connected. */
  readonly connected: Promise<unknown>;
}

/** Clients connect again after this time. */
const RETRY_MS = 50;
const GLIDE_REQUEST_TIMEOUT_MS = 100;

const HOST = "127.0.0.1";

function ignore(): void {}

/**
 * Loads the library of a client. The returned function makes a client without waiting for its connection, if the
 * library can do that.
 */
export async function loadClient(name: ClientName): Promise<(where: Whereabouts) => Promise<OpenedClient>> {
  switch (name) {
    case "ioredis": {
      const { Redis } = await import("ioredis");
      return async ({ port }) => {
        const client = new Redis({ host: HOST, port, retryStrategy: () => RETRY_MS });
        client.on("error", ignore);
        return { client, connected: client.ping() };
      };
    }
    case "iovalkey": {
      const { Redis } = await import("iovalkey");
      return async ({ port }) => {
        const client = new Redis({ host: HOST, port, retryStrategy: () => RETRY_MS });
        client.on("error", ignore);
        return { client, connected: client.ping() };
      };
    }
    case "redis": {
      const { createClient } = await import("redis");
      return async ({ port }) => {
        const client = createClient({ socket: { host: HOST, port, reconnectStrategy: () => RETRY_MS } });
        client.on("error", ignore);
        return { client, connected: client.connect() };
      };
    }
    case "glide": {
      const { GlideClient, Logger } = await import("@valkey/valkey-glide");
      return async ({ port, requestTimeoutMs = GLIDE_REQUEST_TIMEOUT_MS }) => {
        Logger.setLoggerConfig("off");
        const client = await GlideClient.createClient({
          addresses: [{ host: HOST, port }],
          requestTimeout: requestTimeoutMs,
          connectionBackoff: { numberOfRetries: 1, factor: RETRY_MS, exponentBase: 1 },
        });
        return { client, connected: Promise.resolve() };
      };
    }
    case "upstash": {
      const { Redis } = await import("@upstash/redis");
      return async ({ upstash }) => {
        const client = new Redis({ url: upstash!.url, token: upstash!.token, retry: { retries: 0 } });
        return { client, connected: client.ping() };
      };
    }
    default:
      return name satisfies never;
  }
}

/** Closes a client of any library at once. A client without connections has nothing to close. */
export async function closeClient(client: object): Promise<void> {
  const { disconnect, destroy, close } = client as Partial<Record<"disconnect" | "destroy" | "close", () => unknown>>;
  await (destroy ?? disconnect ?? close)?.call(client);
}
