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
} from './bind.ts';
export { OutcomeLog, logLimitBytesDefault, type SessionLog } from './outcome-log.ts';
export {
  mergeOutcomeLogs,
  outcomesOf,
  parseOutcomeLog,
  readOutcomeLog,
  writeOutcomeLog,
  type OutcomeLogFile,
  type PartOfLog,
  type SessionOutcomes,
} from './log-format.ts';
export type { Asserted } from './stated.ts';
export { inDoubtShareMaxDefault, type ReplayResult } from './finding.ts';
