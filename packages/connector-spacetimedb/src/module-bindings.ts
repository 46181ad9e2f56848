import {
  type DbConnectionConfig,
  DbConnectionBuilder,
  DbConnectionImpl,
  procedures,
  reducers,
  reducerSchema,
  type RemoteModule,
  schema,
  t,
  table,
} from 'spacetimedb';

/*
 * What `spacetime generate` would write for modules/spacetimedb, cut to what a client of it uses; written by
 * hand so that building needs no CLI.
 */

const tablesSchema = schema({
  accounts: table(
    {
      name: 'accounts',
      indexes: [{ accessor: 'id', name: 'accounts_id_idx_hash', algorithm: 'hash', columns: ['id'] }],
      constraints: [{ name: 'accounts_id_key', constraint: 'unique', columns: ['id'] }],
    },
    t.row({ id: t.u32().primaryKey(), balance: t.i64() }),
  ),
});

const reducersSchema = reducers(
  reducerSchema('transfer', { source: t.u32(), target: t.u32(), amount: t.i64() }),
);

const proceduresSchema = procedures();

const remoteModule = {
  versionInfo: { cliVersion: '2.8.3' },
  tables: tablesSchema.schemaType.tables,
  reducers: reducersSchema.reducersType.reducers,
  ...proceduresSchema,
} satisfies RemoteModule;

/** The SDK's connection to a database that runs our module. */
export class ModuleConnection extends DbConnectionImpl<typeof remoteModule> {
  static builder(): DbConnectionBuilder<ModuleConnection> {
    return new DbConnectionBuilder<ModuleConnection>(
      remoteModule,
      (config: DbConnectionConfig) => new ModuleConnection(config),
    );
  }
}
