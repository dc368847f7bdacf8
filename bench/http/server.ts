import { CHILD } from "../harness/child-process.ts";
import { type ServerProcess, startServer } from "../harness/server-process.ts";
import { type Framework, HOST, serve } from "./servers/framework.ts";
import type { Variant } from "./variants.ts";

export type ServerOrder = Variant & { readonly limit: number };

/** Serves in this process, with a limit of so many requests a day. Prints its URL. */
export async function serveVariant({ framework, front, limit }: ServerOrder): Promise<void> {
  const { FRAMEWORK } = (await import(`./servers/${framework}.js`)) as { readonly FRAMEWORK: Framework<unknown> };
  console.log(`http://${HOST}:${await serve(FRAMEWORK, front, limit)}`);
}

export function startVariant(order: ServerOrder): Promise<ServerProcess> {
  return startServer([CHILD, "server", JSON.stringify(order)]);
}
