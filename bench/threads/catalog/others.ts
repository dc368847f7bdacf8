import type { ClusterRow, MessagesRow, NativeRow } from "../row.ts";
import { IN_FLIGHT } from "../units.ts";

export const MESSAGES_ROW: MessagesRow = {
  runs: "by messages",
  group: "threads-hot",
  id: "messages",
  name: "postMessage to an owner",
  options: `one more thread has a \`memoryStore()\`; the key is posted, yes or no comes back, ${IN_FLIGHT} in flight from each thread`,
};

export const CLUSTER_ROW: ClusterRow = {
  runs: "in a cluster",
  group: "threads-hot",
  id: "cluster",
  name: "rate-limiter-flexible, cluster",
  options: `\`RateLimiterCluster({ points, duration: 3600 })\` in so many processes, \`consume(key)\`, ${IN_FLIGHT} in flight from each`,
};

const NATIVELY = { runs: "natively" } as const;
const PER_CALL = { clock: "per call", options: "`TimeCell::now` in each call" } as const;
const COARSE = { clock: "coarse", options: "`TimeCell::now` in every 16th call" } as const;
const LOOP = { ...NATIVELY, group: "threads-hot", program: "loop" } as const;
const TABLE = { ...NATIVELY, group: "threads-keys", program: "table" } as const;

export const NATIVE_ROWS: readonly NativeRow[] = [
  { ...LOOP, ...PER_CALL, id: "rust-loop", name: "Rust, a loop around compare-and-swap" },
  { ...LOOP, ...COARSE, id: "rust-loop-coarse", name: "Rust, a loop around compare-and-swap, coarse clock" },
  { ...TABLE, ...PER_CALL, id: "rust-table", name: "Rust, such a table" },
  { ...TABLE, ...COARSE, id: "rust-table-coarse", name: "Rust, such a table, coarse clock" },
];
