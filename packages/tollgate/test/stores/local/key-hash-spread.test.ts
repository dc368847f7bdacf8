import { testSpread } from "./key-hash-spread.ts";
import { KINDS_OF_KEYS } from "./kinds-of-keys.ts";

// The deep tests hash ten million keys.
testSpread(
  KINDS_OF_KEYS.map(([kind]) => kind),
  300_000,
);
