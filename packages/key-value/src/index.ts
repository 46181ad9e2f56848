export type { KeyValueConnection, KeyValueSystem } from './system.ts';
export { done, type Program } from './program.ts';
export type { StoredRow } from './stored-rows.ts';
