import type { Redis } from "ioredis";
import { vi } from "vitest";

/** The arguments of each script call that the client sends while the work is done: its SHA-1, the number of keys … */
export async function argumentsOfCalls(client: Redis, work: () => Promise<unknown>): Promise<readonly unknown[][]> {
  const spy = vi.spyOn(client, "sendCommand");
  await work();
  const sent = spy.mock.calls.map(([command]) => command as { readonly name: string; readonly args: unknown[] });
  spy.mockRestore();
  const calls = sent.filter(({ name }) => name === "evalsha");
  return calls.map(({ args }) => [...args]);
}
