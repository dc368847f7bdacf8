export const REPLAY_USAGE: string =
  "tollgate replay <access.log | -> … [--limits limits.yaml] [--domain api] [--key address] " +
  "[--suggest 99.9] [--html report.html] [--json] [--fail-if 'clients>0.1%'] [--max-clients 500000]";
