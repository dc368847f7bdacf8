export { type HotKey, type HotKeys, type HotKeysOptions, hotKeys } from "./hot-keys/hot-keys.ts";
export { type InstrumentOptions, instrument } from "./prometheus/instrument.ts";
export type { MetricsRegistry } from "./prometheus/registry-output.ts";
export type { MeasuringOptions } from "./readings/measuring.ts";
