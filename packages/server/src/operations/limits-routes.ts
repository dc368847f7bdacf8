import type { IncomingMessage } from "node:http";
import type { Operator, OperatorRoutes } from "../http/operator.ts";
import { readText, typeOf } from "../http/read-text.ts";
import { asFields, oneOf, orElse } from "../http/readers.ts";
import type { Replaced } from "../limits/limits-in-force.ts";
import { type Answer, action } from "./action.ts";
import { auditChange } from "./audited-changes.ts";
import { DryRuns } from "./dry-run.ts";
import { checkIfMatch, etagOf } from "./etag.ts";
import { readQuery } from "./fields.ts";
import { LimitsReader } from "./limits-reader.ts";
import type { OperationSettings } from "./operation-settings.ts";
import { withoutKeys } from "./without-keys.ts";
import { withWorkers } from "./workers-reached.ts";

/** As many as a text of limits may have characters. */
const MOST_BODY_BYTES = 5_000_000;

const JSON_TYPE = "application/json";
const YAML_TYPES = ["application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"];

const putQuery = asFields({ dryRun: orElse(oneOf(["true", "false"]), "false") });

/** Reads and replaces the limits in force. */
export function limitsRoutes(settings: OperationSettings): OperatorRoutes {
  const dryRuns = new DryRuns(settings.inForce, settings.recent);
  const reader = new LimitsReader(settings.checkDomain);
  return {
    "/v1/limits": {
      GET: action("read", (request, { access }) => {
        readQuery(request, asFields({}));
        const { file, version } = settings.inForce;
        return { body: access === "read" ? withoutKeys(file) : file, headers: { etag: etagOf(version) } };
      }),
      PUT: action("write", (request, operator) => put(settings, { dryRuns, reader }, request, operator)),
      DELETE: action("write", (request, operator) => {
        readQuery(request, asFields({}));
        return change(settings, "limits.return", request, operator, (check) => settings.inForce.returnToFiles(check));
      }),
    },
  };
}

async function put(
  settings: OperationSettings,
  { dryRuns, reader }: { readonly dryRuns: DryRuns; readonly reader: LimitsReader },
  request: IncomingMessage,
  operator: Operator,
): Promise<Answer> {
  const isDryRun = readQuery(request, putQuery).dryRun === "true";
  const type = typeOf(request, [JSON_TYPE, ...YAML_TYPES]);
  const ifMatch = request.headers["if-match"];
  // Before the body is read, so that a change that comes too late is answered early.
  if (!isDryRun || ifMatch !== undefined) checkIfMatch(ifMatch, settings.inForce.version);
  const text = await readText(request, MOST_BODY_BYTES);
  const file = await reader.read(text, type === JSON_TYPE ? "limits.json" : "limits.yaml");
  if (isDryRun) return { body: await dryRuns.of(file) };
  return change(settings, "limits.put", request, operator, (check) => settings.inForce.put(file, check));
}

/** Its turn comes when the changes before are in force: of two that replace the same version, the second gets 412. */
async function change(
  settings: OperationSettings,
  what: "limits.put" | "limits.return",
  request: IncomingMessage,
  operator: Operator,
  make: (check: (version: string) => void) => Promise<Replaced>,
): Promise<Answer> {
  const { before, version, source } = await make((inForce) => checkIfMatch(request.headers["if-match"], inForce));
  auditChange(settings, operator, what, { version_before: before });
  return withWorkers({ body: { version, source }, headers: { etag: etagOf(version) } }, await settings.reached());
}
