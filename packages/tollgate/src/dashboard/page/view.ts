import type { Point, Snapshot } from "../snapshot.ts";

/** What a screen gets. */
export interface Shown {
  /** The latest snapshot, with the last hour and the latest events. */
  readonly view: Snapshot;
  /** The last second. */
  readonly point: Point;
  /** Tells what was done. */
  readonly say: (text: string) => void;
  /** Whether keys are asked for as they are. */
  readonly areKeysShown: boolean;
  readonly showKeys: (shown: boolean) => void;
}

const MOST_POINTS = 3_600;
const MOST_EVENTS = 200;

/** The view after another snapshot: the first one has what came earlier. */
export function withSnapshot(view: Snapshot | undefined, next: Snapshot): Snapshot {
  const { points = [], events = [] } = view ?? {};
  return {
    ...view,
    ...next,
    points: [...points, ...next.points].slice(-MOST_POINTS),
    events: [...events, ...next.events].slice(-MOST_EVENTS),
  };
}
