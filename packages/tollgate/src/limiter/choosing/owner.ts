import type { AsyncBlocks, SyncBlocks } from "../../core/blocks.ts";
import type { Lines } from "../waiting/lines.ts";
import type { Watch } from "../watching/watch.ts";
import type { Source, Space } from "./space.ts";

/** What a limiter has apart from its limits: the blocks of its keys, the lines of calls that wait, and its watchers. */
export interface Owner {
  readonly name: string;
  readonly source: Source;
  /** `undefined` if the store keeps no blocks. */
  readonly blocks: SyncBlocks | AsyncBlocks | undefined;
  readonly lines: Lines;
  readonly watch: Watch;
  /** The spaces that the limiter has opened, each set of cells once: enough to forget a key. */
  readonly spaces: () => readonly Space[];
}
