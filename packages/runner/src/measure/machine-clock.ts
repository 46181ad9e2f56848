/** The machine's monotonic clock, which its processes share. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
