import { testContract } from "./contract.ts";

testContract(
  "random traces and limits that change",
  (name) => name.startsWith("random") || name.includes("when limits change"),
);
