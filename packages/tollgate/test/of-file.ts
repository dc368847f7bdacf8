import { afterAll } from "vitest";

/** What all tests of a file use. It is stopped after them, the last started first. */
export async function ofFile<Started extends { stop(): unknown }>(starting: Promise<Started>): Promise<Started> {
  const started = await starting;
  afterAll(async () => {
    await started.stop();
  });
  return started;
}
