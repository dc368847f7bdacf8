import type { CallerFindings, CallerOrders } from "./caller.ts";
import { Child } from "./child.ts";

/** Starts a process for each of the orders. All of them begin to call when the last one is ready. */
export async function callInProcesses(all: readonly CallerOrders[]): Promise<readonly CallerFindings[]> {
  const children = all.map((orders) => new Child(new URL("caller.ts", import.meta.url), orders));
  try {
    await Promise.all(children.map((child) => child.receive()));
    for (const child of children) child.send({ go: true });
    return await Promise.all(children.map((child) => child.receive<CallerFindings>()));
  } finally {
    await Promise.all(children.map((child) => child[Symbol.asyncDispose]()));
  }
}

export async function callInAProcess(orders: CallerOrders): Promise<CallerFindings> {
  const [findings] = await callInProcesses([orders]);
  return findings!;
}
