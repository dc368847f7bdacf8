import type { Snapshot, Welcome } from "tollgate/dashboard";

/** What a page has been told. */
export interface PageEvents {
  readonly welcome: Welcome;
  /** The snapshots that have come so far. */
  readonly snapshots: readonly Snapshot[];
  /** Resolves when the stream has ended. */
  readonly ended: Promise<void>;
  /** Resolves when there is a snapshot that fits. */
  find(fits: (snapshot: Snapshot) => boolean): Promise<Snapshot>;
  cancel(): Promise<void>;
}

const EVENT = /^event: (\w+)\ndata: (.+)$/;

/** Reads the events of a dashboard as a page does. */
export async function readEvents(body: ReadableStream<Uint8Array>): Promise<PageEvents> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const snapshots: Snapshot[] = [];
  let text = "";
  let notify = (): void => {};
  let welcomed: (welcome: Welcome) => void;
  const welcome = new Promise<Welcome>((resolve) => {
    welcomed = resolve;
  });
  const read = async (): Promise<void> => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const parts = (text + decoder.decode(value, { stream: true })).split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts) {
        const [, name = "", data = ""] = EVENT.exec(part) ?? [];
        if (name === "welcome") welcomed(JSON.parse(data) as Welcome);
        else snapshots.push(JSON.parse(data) as Snapshot);
      }
      notify();
    }
  };
  const ended = read().catch(() => {});
  return {
    welcome: await welcome,
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
