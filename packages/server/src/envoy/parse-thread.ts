import { readInThread } from "../limits/in-thread.ts";
import { readWords } from "./configuration.ts";

readInThread(readWords);
