import clusterKeySlot from "cluster-key-slot";

/** The cluster slot of a key. */
export function slotOf(name: string): number {
  return clusterKeySlot(name);
}
