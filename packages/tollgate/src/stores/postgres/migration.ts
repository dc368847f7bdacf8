import { checkOptions, optionError } from "../../core/check-options.ts";
import { MIGRATION } from "./migration.generated.ts";

export interface PostgresMigrationOptions {
  /**
   * Whether counts are logged: `false` by default. Without a log a decision waits for no disk, but a crash of the
   * server loses all counts, and replicas have none. With a log each batch waits for one flush of it.
   */
  readonly logged?: boolean;
}

/**
 * The text of the migration, for tools that apply SQL: the schema `tollgate`, its table and its functions. The package
 * has the same text as a file, `dist/stores/postgres/migration.sql`.
 *
 * @throws TollgateError `ERR_OPTION`.
 * @example
 * ```ts
 * import { postgresMigration } from "tollgate/postgres";
 *
 * console.log(postgresMigration({ logged: true }).includes("UNLOGGED TABLE")); // false
 * ```
 */
export function postgresMigration(options: PostgresMigrationOptions = {}): string {
  checkOptions("postgresMigration", options, { logged: true });
  const { logged = false } = options;
  if (typeof logged !== "boolean") throw optionError("logged", "true or false", logged);
  return logged ? MIGRATION.replace("CREATE UNLOGGED TABLE", "CREATE TABLE") : MIGRATION;
}
