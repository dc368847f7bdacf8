import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import recorded from "./test-seconds.json" with { type: "json" };

const SECONDS: Readonly<Record<string, number>> = recorded;
/** A file without a record may be a slow one: it starts before those that are known to be quick. */
const UNKNOWN_SECONDS = 5;

/**
 * Starts the longest files first, so that no core idles while another runs the last long file. `test-seconds.json` has
 * the times: vitest's own record is lost with `node_modules`.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const inGroups = await super.sort(files);
    return inGroups.sort((a, b) => {
      const groups = groupOf(a) - groupOf(b);
      if (groups !== 0) return groups;
      const processes = processOf(a).localeCompare(processOf(b));
      return processes === 0 ? this.#secondsOf(b) - this.#secondsOf(a) : processes;
    });
  }

  #secondsOf({ moduleId }: TestSpecification): number {
    return SECONDS[relative(this.ctx.config.root, moduleId)] ?? UNKNOWN_SECONDS;
  }
}

/**
 * A process that files share ends before a file of another project, so each project's come together, and those that do
 * not share come first in their group.
 */
function processOf({ project }: TestSpecification): string {
  return project.config.isolate ? "" : project.name;
}

function groupOf({ project }: TestSpecification): number {
  return project.config.sequence.groupOrder;
}
