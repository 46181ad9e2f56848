/** What an alarm and its thread share. */
export interface AlarmState {
  readonly memory: SharedArrayBuffer;
  /** How often the alarm was set. */
  readonly sets: Int32Array;
  /** For when, by the shared clock. */
  readonly atSharedMs: Float64Array;
}

export function createAlarmState(memory = new SharedArrayBuffer(16)): AlarmState {
  return { memory, sets: new Int32Array(memory, 0, 1), atSharedMs: new Float64Array(memory, 8, 1) };
}
