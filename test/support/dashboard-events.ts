import type { Snapshot } from "tollgate/dashboard";

/** What a page has been told. */
export interface PageEvents {
  readonly first: Snapshot;
  /** The snapshots that have come since. */
  readonly snapshots: readonly Snapshot[];
  /** Resolves when the stream has ended. */
  readonly ended: Promise<void>;
  /** Resolves when there is a snapshot that fits. */
  find(fits: (snapshot: Snapshot) => boolean): Promise<Snapshot>;
  cancel(): Promise<void>;
}

const EVENT = /^data: (.+)$/;

/** Reads the events of a dashboard as a page does. */
export async function readEvents(body: ReadableStream<Uint8Array>): Promise<PageEvents> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const snapshots: Snapshot[] = [];
  let text = "";
  let notify = (): void => {};
  let resolveFirst: ((first: Snapshot) => void) | undefined;
  const first = new Promise<Snapshot>((resolve) => {
    resolveFirst = resolve;
  });
  const read = async (): Promise<void> => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const parts = (text + decoder.decode(value, { stream: true })).split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts) {
        const [, data = ""] = EVENT.exec(part) ?? [];
        const snapshot = JSON.parse(data) as Snapshot;
        if (resolveFirst === undefined) snapshots.push(snapshot);
        resolveFirst?.(snapshot);
        resolveFirst = undefined;
      }
      notify();
    }
  };
  const ended = read().catch(() => {});
  return {
    first: await first,
    snapshots,
    ended,
    find: async (fits) => {
      for (;;) {
        const found = snapshots.find(fits);
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => {
          notify = resolve;
        });
      }
    },
    cancel: () => reader.cancel(),
  };
}
