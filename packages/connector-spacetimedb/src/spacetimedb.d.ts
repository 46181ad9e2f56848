/*
 * The part of the SDK that is used here. Its own declarations import each other without file endings, which
 * Node's module resolution does not find, so that TypeScript sees none of them.
 */
declare module 'spacetimedb' {
  /** The type of a value; opaque here. */
  export interface Column {
    readonly algebraicType: unknown;
  }
  type Columns = Readonly<Record<string, Column>>;

  export const t: {
    u32(): Column;
    i64(): Column;
    bool(): Column;
    string(): Column;
    byteArray(): Column;
    array(element: Column): Column;
    object(name: string, columns: Columns): Column;
    result(ok: Column, err: Column): Column;
  };
  export interface Table {
    readonly rowType: unknown;
  }
  export function schema(tables: Readonly<Record<string, Table>>): {
    readonly schemaType: { readonly tables: Readonly<Record<string, Table>> };
  };

  export interface Call {
    readonly accessorName: string;
  }
  export function reducerSchema(name: string, parameters: Columns): Call;
  export function reducers(...schemas: readonly Call[]): {
    readonly reducersType: { readonly reducers: readonly Call[] };
  };
  export function procedureSchema(name: string, parameters: Columns, returns: Column): Call;
  export function procedures(...schemas: readonly Call[]): { readonly procedures: readonly Call[] };

  export interface RemoteModule {
    readonly versionInfo: { readonly cliVersion: string };
    readonly tables: Readonly<Record<string, Table>>;
    readonly reducers: readonly Call[];
    readonly procedures: readonly Call[];
  }

  export interface DbConnectionConfig {
    readonly uri: URL;
  }
  export class DbConnectionImpl {
    constructor(config: DbConnectionConfig);
    readonly isActive: boolean;
    readonly reducers: Readonly<Record<string, (parameters: object) => Promise<void>>>;
    readonly procedures: Readonly<Record<string, (parameters: object) => Promise<unknown>>>;
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
