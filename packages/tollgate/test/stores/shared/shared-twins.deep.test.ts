import { testSharedTwins } from "./shared-twins.ts";

testSharedTwins(60);
