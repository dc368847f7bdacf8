import { setFlagsFromString } from "node:v8";

/**
 * Has V8 allocate new objects as young ones, whatever it has learned. If many requests are under way when it collects
 * garbage, it takes the objects of a request for long-lived, and allocates them among the old ones from then on. There
 * they wait for a collection of the whole heap, and a check takes about a fifth more time.
 */
export function keepNewObjectsYoung(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}
