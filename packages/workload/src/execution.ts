/** Whoever carries operations out needs this much of the package: an engine in a load client, a key-value client, a server. */
export { type ModelOutcome, Model } from './model.ts';
export { lackOfCode } from './code/program.ts';
export {
  bigOf,
  bindOperations,
  type BoundEffect,
  type BoundOperand,
  type BoundOperation,
  type BoundRow,
  type BoundRule,
  type BoundValue,
  evaluate,
  listOfRule,
  recordsOf,
} from './replay/bind.ts';
export { workloadWithDefaults } from './target-workload.ts';
export { parseDescription } from './parse.ts';
export { plannedJson, type Workload } from './resolved.ts';
export { MemoryStore, type ModelRow, type ScanRange, type Store } from './store.ts';
export { scalarFromJson, scalarToJson, valueToJson } from './values-json.ts';
