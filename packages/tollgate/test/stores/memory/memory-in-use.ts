/** The bytes of the heap after a garbage collection. */
export function heapInUse(): number {
  arrayBuffersInUse();
  return process.memoryUsage().heapUsed;
}

/** The bytes of array buffers after a garbage collection. The collector may free some buffers later. */
export function arrayBuffersInUse(): number {
  const { gc } = globalThis as { gc?: () => void };
  if (gc === undefined) throw new Error("run with --expose-gc");
  gc();
  return process.memoryUsage().arrayBuffers;
}
