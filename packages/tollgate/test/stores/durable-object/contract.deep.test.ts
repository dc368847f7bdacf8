import { testContract } from "./contract.ts";

testContract("single calls", (name) => !(name.startsWith("random") || name.includes("when limits change")));
