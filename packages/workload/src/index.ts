export * from './schema.ts';
export * from './builders.ts';
export * from './define.ts';
export type { Mistake } from './checker.ts';
export * from './parse.ts';
export * from './resolved.ts';
export * from './resolve.ts';
export * from './stream.ts';
export * from './store.ts';
export * from './seeded.ts';
export { RowsLeft, whyNotContinued } from './rows-left.ts';
export * from './shape.ts';
export * from './model.ts';
export * from './cases.ts';
export * from './contended.ts';
export * from './differences.ts';
export * from './canaries.ts';
export { drawChanged, rowsChanged, rowsUnchanged } from './watched/changed-rows.ts';
export type { ChangedRows } from './replay/reply-check.ts';
export { judgeChanged, type RowsChange } from './watched/judge-changed.ts';
export { drawWatched, type WatchedOperation } from './watched/draw-watched.ts';
export { type DrawnMark, judgeWatched, type WatchedReading } from './watched/judge-watched.ts';
export { dataBytesOf } from './data-bytes.ts';
export { targetWorkload } from './target-workload.ts';
export { rowsWrittenMax } from './rows-written.ts';
export * from './values-json.ts';
export { createSlots, createStream } from './compile.ts';
export * from './replay/index.ts';
export { replayOutcomes } from './replay-outcomes.ts';
export { countLosses, type Losses } from './losses.ts';
export { faultCourse, type FaultCourse } from './fault-course.ts';
export { courseBySecond, longestSilence } from './course-by-second.ts';
export type {
  Arguments,
  Columns,
  Named,
  OperationCode,
  Past,
  SeededAt,
  Touches,
  Transaction,
} from './code/program.ts';
export { programOf } from './code/program.ts';
export { mistakesInFunctions } from './code/check-functions.ts';
export { keyOfUuid, nullValue, type ScalarValue, uuidBytes, uuidOf } from '@fair-bench/contract';
