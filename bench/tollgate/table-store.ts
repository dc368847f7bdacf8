import type { SyncStore } from "tollgate";
import { tableStore } from "tollgate/table";

export function openStore(): SyncStore {
  return tableStore({ maxKeys: 1_000_000 });
}
