export function heapInUse(): number {
  arrayBuffersInUse();
  return process.memoryUsage().heapUsed;
}

/** Bytes of array buffers that something refers to; the collector may need a moment for the others. */
export function arrayBuffersInUse(): number {
  const { gc } = globalThis as { gc?: () => void };
  if (gc === undefined) throw new Error("run with --expose-gc");
  gc();
  return process.memoryUsage().arrayBuffers;
}
