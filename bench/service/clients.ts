import type { Figures } from "../harness/figures.ts";
import { startService } from "./processes.ts";

const CLIENTS = 1_000_000;
/** Calls in a request. */
const BATCH = 100;
/** Requests under way. */
const CONNECTIONS = 8;

/** The memory of the service that counts a million clients, each by its address. */
export async function measureClients(): Promise<Figures> {
  const server = await startService(1);
  try {
    let next = 0;
    const work = async () => {
      for (let from = next; from < CLIENTS; from = next) {
        next += BATCH;
        await expectAdmitted(server.port, from);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
    return { mebibytes: (await server.residentBytes()) / 2 ** 20 };
  } finally {
    await server.stop();
  }
}

async function expectAdmitted(port: number, from: number): Promise<void> {
  const requests = Array.from({ length: BATCH }, (_, i) => ({ domain: "api", facts: { ip: addressOf(from + i) } }));
  const body = JSON.stringify({ requests });
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`http://127.0.0.1:${port}/v1/decide`, { method: "POST", headers, body });
  const { results } = (await response.json()) as { readonly results: readonly { readonly allowed: boolean }[] };
  if (!results.every(({ allowed }) => allowed)) throw new Error("expected that the first call of a client is admitted");
}

function addressOf(client: number): string {
  return `10.${client >> 16}.${(client >> 8) & 255}.${client & 255}`;
}
