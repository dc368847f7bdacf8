export type { OnFailure } from "../../core/store.ts";
export type { StoreObservation as ClusterStoreObservation } from "../../core/store-observation.ts";
export { type ClusterStoreOptions, clusterStore } from "./cluster-store.ts";
export type { Send, WorkerChannel } from "./primary-link.ts";
export {
  type ClusterPrimary,
  type ClusterWorker,
  type ServedStore,
  type ServeWorkersOptions,
  serveWorkers,
} from "./serve-workers.ts";
