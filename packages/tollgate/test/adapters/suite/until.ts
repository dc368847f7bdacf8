const PATIENCE_MS = 20_000;

/** Waits for what happens on its own soon, such as the end of a response on the server's side. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  while (!holds()) {
    if (performance.now() > deadlineMs) throw new Error(`waited ${PATIENCE_MS} ms in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
