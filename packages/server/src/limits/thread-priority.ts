import { readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { basename } from "node:path";

/** About a tenth of the processor while another thread wants it, and all of it otherwise. */
const LOW = 10;

/**
 * Lets other threads go first when they compete for a processor with the one that calls it. Linux alone has priorities
 * of threads; elsewhere nothing changes.
 */
export function lowerPriority(): void {
  try {
    // The link is `PID/task/TID`. Node takes the number of a thread for that of a process, as Linux does.
    const thread = Number(basename(readlinkSync("/proc/thread-self")));
    if (getPriority(thread) < LOW) setPriority(thread, LOW);
  } catch {
    // Another system, or one that hides its processes: the thread competes as others do.
  }
}
