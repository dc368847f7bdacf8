/** Turns an error that is thrown at once into a rejection. */
export function promised<T>(work: () => Promise<T>): Promise<T> {
  try {
    return work();
  } catch (error) {
    return rejected(error);
  }
}

/** A promise that rejects. */
export async function rejected(error: unknown): Promise<never> {
  throw error;
}
