/*
 * The part of the SDK that is used here. Its own declarations import each other without file endings, which
 * Node's module resolution does not find, so that TypeScript sees none of them.
 */
declare module 'spacetimedb' {
  export interface Column<Value> {
    primaryKey(): Column<Value>;
    /** For the type alone. */
    readonly value?: Value;
  }
  type Columns = Readonly<Record<string, Column<unknown>>>;
  type ValuesOf<C extends Columns> = {
    readonly [K in keyof C]: C[K] extends Column<infer Value> ? Value : never;
  };

  export const t: {
    u32(): Column<number>;
    i64(): Column<bigint>;
    row(columns: Columns): RowType;
  };
  export interface RowType {
    readonly row: Columns;
  }
  export interface TableOptions {
    readonly name: string;
    readonly indexes: readonly {
      readonly accessor: string;
      readonly name: string;
      readonly algorithm: 'btree' | 'hash';
      readonly columns: readonly string[];
    }[];
    readonly constraints: readonly {
      readonly name: string;
      readonly constraint: 'unique';
      readonly columns: readonly string[];
    }[];
  }
  export interface Table {
    readonly rowType: RowType;
  }
  export function table(options: TableOptions, row: RowType): Table;
  export function schema(tables: Readonly<Record<string, Table>>): {
    readonly schemaType: { readonly tables: Readonly<Record<string, Table>> };
  };

  export interface Reducer<Name extends string, Parameters extends Columns> {
    readonly accessorName: Name;
    readonly params: Parameters;
  }
  export function reducerSchema<Name extends string, Parameters extends Columns>(
    name: Name,
    parameters: Parameters,
  ): Reducer<Name, Parameters>;
  export function reducers<const R extends readonly Reducer<string, Columns>[]>(
    ...schemas: R
  ): { readonly reducersType: { readonly reducers: R } };
  export function procedures(): { readonly procedures: readonly [] };

  export interface RemoteModule {
    readonly versionInfo: { readonly cliVersion: string };
    readonly tables: Readonly<Record<string, Table>>;
    readonly reducers: readonly Reducer<string, Columns>[];
    readonly procedures: readonly [];
  }

  export interface DbConnectionConfig {
    readonly uri: URL;
  }
  export class DbConnectionImpl<Module extends RemoteModule> {
    constructor(config: DbConnectionConfig);
    readonly isActive: boolean;
    readonly reducers: {
      readonly [R in Module['reducers'][number] as R['accessorName']]: (
        parameters: ValuesOf<R['params']>,
      ) => Promise<void>;
    };
    disconnect(): void;
  }
  export class DbConnectionBuilder<Connection> {
    constructor(module: RemoteModule, connect: (config: DbConnectionConfig) => Connection);
    withUri(uri: string): this;
    withDatabaseName(name: string): this;
    withCompression(compression: 'gzip' | 'brotli' | 'none'): this;
    withConfirmedReads(confirmedReads: boolean): this;
    onConnect(callback: () => void): this;
    onConnectError(callback: (context: unknown, error: Error) => void): this;
    onDisconnect(callback: (context: unknown, error?: Error) => void): this;
    build(): Connection;
  }

  /** A reducer's own error. */
  export class SenderError extends Error {}
  export function setGlobalLogLevel(level: 'info' | 'warn' | 'error' | 'debug' | 'trace'): void;
}
