export type { OnFailure } from "../../core/store.ts";
export type { StoreObservation as PostgresStoreObservation } from "../../core/store-observation.ts";
export { type PostgresMigrationOptions, postgresMigration } from "./migration.ts";
export type { PgClient, PostgresClient, PostgresJsClient } from "./postgres-port.ts";
export { type PostgresStore, type PostgresStoreOptions, postgresStore } from "./postgres-store.ts";
