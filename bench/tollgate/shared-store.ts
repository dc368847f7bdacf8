import type { SyncStore } from "tollgate";
import { sharedStore } from "tollgate/shared";

export function openStore(): SyncStore {
  return sharedStore({ maxKeys: 1_000_000 });
}
