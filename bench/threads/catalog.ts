import { CLUSTER_ROW, MESSAGES_ROW, NATIVE_ROWS } from "./catalog/others.ts";
import { SHARED_ROWS } from "./catalog/shared.ts";
import type { Row } from "./row.ts";

/** In the order of the report's rows. */
export const ROWS: readonly Row[] = [...SHARED_ROWS, MESSAGES_ROW, CLUSTER_ROW, ...NATIVE_ROWS];
