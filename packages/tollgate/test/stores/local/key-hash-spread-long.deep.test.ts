import { testSpread } from "./key-hash-spread.ts";

testSpread(["IPv6", "UUID"], 10_000_000);
