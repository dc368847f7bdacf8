import { BUCKET_MUTANTS } from "./bucket-mutants.ts";
import type { Mutant } from "./mutant.ts";
import { PLAN_MUTANTS } from "./plan-mutants.ts";
import { WINDOW_MUTANTS } from "./window-mutants.ts";

export const ALL_MUTANTS: readonly Mutant[] = [...BUCKET_MUTANTS, ...WINDOW_MUTANTS, ...PLAN_MUTANTS];
