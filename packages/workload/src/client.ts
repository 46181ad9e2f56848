/** A load client needs this much of the package; the rest would cost each of its starts time. */
export { createSlots, createStream } from './compile.ts';
export { writeOutcomeLog } from './replay/log-format.ts';
export { OutcomeLog, type SessionLog } from './replay/outcome-log.ts';
export { parsePlanned, type PlannedWorkload } from './resolved.ts';
export { shapeOf } from './shape.ts';
export type { Slots, WorkloadStream } from './stream.ts';
export { valuesFromJson } from './values-json.ts';
