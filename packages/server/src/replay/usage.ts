export const REPLAY_USAGE: string =
  "tollgate replay <access.log | -> … [--limits limits.yaml] [--domain api] [--key address] " +
  "[--suggest 99.9] [--html report.html] [--json] [--fail-if 'clients>0.1%'] [--max-clients 500000]";

/** Says whether an argument is this command, so that others do not load it. */
export function isReplayCommand(argument: string | undefined): boolean {
  return argument === "replay";
}
