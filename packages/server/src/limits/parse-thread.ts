import { readInThread } from "./in-thread.ts";
import { readLimitsFiles } from "./read-limits-files.ts";

readInThread(readLimitsFiles);
