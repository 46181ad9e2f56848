export * from './binding.ts';
export * from './calls.ts';
export * from './dialect.ts';
export { rowReader, rowsOf } from './replies.ts';
export { bindingFiles, openSql, readSettings, type RunText, type SqlSystem, textOf } from './system.ts';
export * from './schema.ts';
export type { Statement } from './script.ts';
export {
  type OtherRows,
  otherRowsIn,
  readSetup,
  type Setup,
  type SetupDialect,
  setUpTables,
} from './setup.ts';
export { storedCell } from './stored.ts';
export * from './tables.ts';
export type { EmbeddedDatabase, EmbeddedSql } from './embedded/system.ts';
