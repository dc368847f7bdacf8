import type { Variant } from "../tollgate/variant.ts";

const FORM_NAMES: Record<Variant["form"], string> = {
  keys: "",
  decisions: ", decisions",
  handles: ", handles",
  batches: ", batches of 64",
};

const STORE_OPTIONS: Record<Variant["store"], string> = {
  memory: "`memoryStore()`",
  table: "`tableStore({ maxKeys: 1_000_000 })`",
  shared: "`sharedStore({ maxKeys: 1_000_000 })`",
};

const CALLS: Record<Variant["form"], string> = {
  keys: "`allow(key)`",
  decisions: "`consume(key)`",
  handles: "`handle(key).allow()`",
  batches: "`allowMany(keys, out)`",
};

/** As in `memory`, `table-coarse`, `memory-two-limits`, `table-coarse-handles`. */
export function idOf({ store, clock, limits, form }: Variant): string {
  const words = [store, clock === "coarse" && "coarse", limits === 2 && "two-limits", form !== "keys" && form];
  return words.filter(Boolean).join("-");
}

export function nameOf({ store, clock, limits, form }: Variant): string {
  const coarse = clock === "coarse" ? ", coarse clock" : "";
  return `Tollgate ${store}${limits === 2 ? ", two limits" : ""}${FORM_NAMES[form]}${coarse}`;
}

export function optionsOf({ store, clock, limits, form }: Variant): string {
  const source = store === "shared" ? "store.clock" : "";
  const coarse = clock === "coarse" ? `, \`clock: coarseClock(${source})\`` : "";
  const buckets = limits === 1 ? "`tokenBucket`" : "two `tokenBucket`s";
  return `${STORE_OPTIONS[store]}, ${buckets}${coarse}, ${CALLS[form]}`;
}
