interface Patience {
  readonly patienceMs?: number;
  readonly everyMs?: number;
}

/**
 * Calls a function repeatedly until it returns something other than `undefined`. A call that throws counts as
 * `undefined`: servers start and stop meanwhile.
 */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  { patienceMs = 10_000, everyMs = 5 }: Patience = {},
): Promise<T> {
  const deadlineMs = performance.now() + patienceMs;
  for (;;) {
    let why: unknown;
    try {
      const seen = await look();
      if (seen !== undefined) return seen;
    } catch (error) {
      why = error;
    }
    if (performance.now() > deadlineMs) throw new Error(`waited ${patienceMs} ms in vain for ${what}`, { cause: why });
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** Waits until the condition holds. */
export async function eventuallyTrue(
  what: string,
  holds: () => Promise<boolean> | boolean,
  patience: Patience = {},
): Promise<void> {
  await eventually(what, async () => ((await holds()) ? true : undefined), patience);
}
