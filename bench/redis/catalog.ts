import { INCR_VARIANTS } from "./catalog/incr.ts";
import { RIVAL_VARIANTS } from "./catalog/rivals.ts";
import { TOLLGATE_VARIANTS } from "./catalog/tollgate.ts";
import type { Variant } from "./variant.ts";
import { WORKLOADS } from "./workload.ts";

const ALL = [...INCR_VARIANTS, ...TOLLGATE_VARIANTS, ...RIVAL_VARIANTS];

/** In the order of the report's rows. */
export const VARIANTS: readonly Variant[] = WORKLOADS.flatMap((workload) =>
  ALL.filter((variant) => variant.workload === workload),
);
