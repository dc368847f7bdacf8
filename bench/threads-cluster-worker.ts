import { workInCluster } from "./threads/cluster/work-in-cluster.ts";

// One process of a cluster in a row of `npm run bench`.
workInCluster();
