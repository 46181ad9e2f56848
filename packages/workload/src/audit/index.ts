export { OutcomeLog, logLimitBytesDefault, type LogOptions, type SessionLog } from './outcome-log.ts';
export {
  mergeOutcomeLogs,
  parseOutcomeLog,
  readOutcomeLog,
  writeOutcomeLog,
  type OutcomeLogFile,
  type PartOfLog,
  type SessionOutcomes,
} from './log-format.ts';
export {
  auditOutcomes,
  inDoubtShareMaxDefault,
  type Asserted,
  type ReplayFinding,
  type ReplayInput,
} from './replay.ts';
