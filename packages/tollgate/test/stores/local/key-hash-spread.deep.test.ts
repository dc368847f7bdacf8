import { testSpread } from "./key-hash-spread.ts";

testSpread(["numbered", "random", "IPv4"], 10_000_000);
