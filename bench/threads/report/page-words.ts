import { FULL } from "../plan.ts";
import { IN_FLIGHT } from "../units.ts";

/** How to read the tables across threads. */
export const HOW_TO_READ_THREADS: string = [
  `- **A number of threads is a process of its own**: it starts them, they make their keys, warm up together for ${FULL.warmUpMs} ms, begin
  together, and decide for ${FULL.windowMs} ms without a turn of the event loop. What they have decided together until the last one is done, by that time:
  millions a second.`,
  `- **One hot key**: all threads ask about the same key, by a handle that each made, or by strings of that text that were made before.
  **100,000 keys**: each thread goes through all of them round and round in an order of its own; they are flat strings, made before in
  that order, and in the store before the window opens.`,
  `- **postMessage to an owner** and **rate-limiter-flexible's cluster** have ${IN_FLIGHT} calls in flight from each thread or process; who
  decides comes on top of the threads that ask.`,
  `- **Rust** shows what is left to gain: a loop that swaps one bucket's 64 bits, and a table of the same layout (four slots of a
  fingerprint and a tick to a cache line, 2.2 slots a key, eight sets to look in), with the standard library's SipHash-1-3, compiled by
  \`rustc -O -C target-cpu=native\`.`,
  "- **Answers are checked**: every call admitted and of every key exactly as much left as its calls leave, or, where denied, none.",
].join("\n");
