import { memoryStore, type SyncStore } from "tollgate";

export function openStore(): SyncStore {
  return memoryStore();
}
