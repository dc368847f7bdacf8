import type { StoreSettings } from "./store.ts";

/** Limits in files. */
export interface LimitsSettings extends StoreSettings {
  readonly kind: "limits";
  /** A file or a directory: limits files, or those of Envoy's reference service. */
  readonly path: string;
  /** Counts as always, and lets everything pass: for Envoy's files. */
  readonly shadow: boolean;
  /** The domain that decides `/check`, of a limits file. `undefined`: the first one. */
  readonly checkDomain: string | undefined;
}
