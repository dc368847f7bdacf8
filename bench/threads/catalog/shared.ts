import type { SharedRow, SharedVariant } from "../row.ts";
import { MANY_KEYS } from "../units.ts";

const FORM_NAMES: Record<SharedVariant["form"], string> = { handle: ", handle", string: "", strings: "" };

export const SHARED_ROWS: readonly SharedRow[] = [
  rowOf("handle", "per call"),
  rowOf("handle", "coarse"),
  rowOf("string", "per call"),
  rowOf("string", "coarse"),
  rowOf("handle", "coarse", { limit: "exhausted" }),
  rowOf("handle", "coarse", { limits: 2 }),
  rowOf("strings", "per call"),
  rowOf("strings", "coarse"),
];

function rowOf(
  form: SharedVariant["form"],
  clock: SharedVariant["clock"],
  rest: Partial<Pick<SharedVariant, "limit" | "limits">> = {},
): SharedRow {
  const variant = { form, clock, limit: "ample", limits: 1, ...rest } as const;
  return {
    runs: "in shared memory",
    group: form === "strings" ? "threads-keys" : "threads-hot",
    id: idOf(variant),
    name: nameOf(variant),
    options: optionsOf(variant),
    variant,
  };
}

/** As in `shared-handle`, `shared-coarse`, `shared-handle-denied-coarse`, `shared-strings`. */
function idOf({ form, clock, limit, limits }: SharedVariant): string {
  const words = [
    "shared",
    form !== "string" && form,
    limit === "exhausted" && "denied",
    limits === 2 && "two-limits",
    clock === "coarse" && "coarse",
  ];
  return words.filter(Boolean).join("-");
}

function nameOf({ form, clock, limit, limits }: SharedVariant): string {
  const two = limits === 2 ? ", two limits" : "";
  const denied = limit === "exhausted" ? ", denied" : "";
  return `Tollgate shared${two}${FORM_NAMES[form]}${denied}${clock === "coarse" ? ", coarse clock" : ""}`;
}

function optionsOf({ form, clock, limits }: SharedVariant): string {
  const maxKeys = MANY_KEYS.toLocaleString("en").replaceAll(",", "_");
  const buckets = limits === 1 ? "`tokenBucket`" : "two `tokenBucket`s";
  const coarse = clock === "coarse" ? ", `clock: coarseClock(store.clock)`" : "";
  const call = form === "handle" ? "`handle(key).allow()`" : "`allow(key)`";
  return `\`sharedStore({ maxKeys: ${maxKeys} })\`, ${buckets}${coarse}, ${call}`;
}
