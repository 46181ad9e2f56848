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
