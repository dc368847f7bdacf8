import { ask } from "./ask.ts";

export const SLOT_COUNT = 16_384;

/** A node of a cluster, as seen by a node. */
export interface ClusterNode {
  readonly id: string;
  readonly port: number;
  readonly isMyself: boolean;
  readonly role: "primary" | "replica";
  readonly hasFailed: boolean;
  /** The id of the node's primary. */
  readonly primaryId: string | undefined;
  readonly configEpoch: number;
  /** The first and the last slot of each range. */
  readonly slots: readonly (readonly [number, number])[];
}

/** The reply of a node to CLUSTER NODES. */
export async function clusterView(port: number): Promise<readonly ClusterNode[]> {
  const text = String(await ask(port, "CLUSTER", "NODES"));
  return text.trim().split("\n").map(parseNode);
}

/** `id ip:port@bus flags primary ping pong epoch link slot slot-slot [slot->-id]` */
function parseNode(line: string): ClusterNode {
  const [id = "", address = "", flagText = "", primaryId = "-", , , epoch = "0", , ...slots] = line.split(" ");
  const flags = flagText.split(",");
  return {
    id,
    port: Number(/:(\d+)/.exec(address)?.[1]),
    isMyself: flags.includes("myself"),
    role: flags.includes("master") ? "primary" : "replica",
    hasFailed: flags.includes("fail") || flags.includes("fail?"),
    primaryId: primaryId === "-" ? undefined : primaryId,
    configEpoch: Number(epoch),
    // Slots in brackets are being migrated.
    slots: slots.filter((range) => !range.startsWith("[")).map(parseRange),
  };
}

function parseRange(range: string): readonly [number, number] {
  const [first, last = first] = range.split("-").map(Number);
  return [first!, last!];
}

export function servesSlot({ slots }: ClusterNode, slot: number): boolean {
  return slots.some(([first, last]) => first <= slot && slot <= last);
}

export function slotCount({ slots }: ClusterNode): number {
  let count = 0;
  for (const [first, last] of slots) count += last - first + 1;
  return count;
}
