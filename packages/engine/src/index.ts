export type {
  Engine,
  EngineSystem,
  Entry,
  InClientSystem,
  KeyRange,
  OpenOptions,
  Reads,
  Settings,
  Writes,
} from './system.ts';
export { versionOfPackage } from './system.ts';
export { bufferedWrites } from './buffered-writes.ts';
export { type OpenByKey, shareOpen } from './shared-open.ts';
