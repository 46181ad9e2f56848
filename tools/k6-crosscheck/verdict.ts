import type { Measured } from './run-k6.ts';

/** Two clients agree within this share of throughput. */
const agreement = 0.1;
/** Above this share of all processors a machine is saturated. */
const saturated = 0.9;

/** Whether both clients agree, and if not, which of them used up the processors. */
export function verdictOf(ours: Measured, k6: Measured, processors: number): string {
  const rate = ({ applied, windowMs }: Measured): number => (applied / windowMs) * 1000;
  const cpuUs = ({ clientCpuUs, applied }: Measured): number => clientCpuUs / applied;
  const ratio = rate(ours) / rate(k6);
  const errors = `errors ${ours.faults} and ${k6.faults}`;
  const cpu = `client CPU per request ${cpuUs(ours).toFixed(1)} and ${cpuUs(k6).toFixed(1)} µs`;
  const facts = `medians: ours ÷ k6 ${ratio.toFixed(3)}; ${errors}; ${cpu}`;
  if (Math.abs(ratio - 1) <= agreement) return `${facts}. They agree within 10 %.`;
  const [slower, name, other] = ratio > 1 ? [k6, 'k6', ours] : [ours, 'the Node load client', k6];
  if (slower.busy < saturated || cpuUs(slower) <= cpuUs(other)) {
    return `${facts}. They disagree, and it is not ${name}'s CPU: its window left processors idle or it is the cheaper client.`;
  }
  const cores = slower.clientCpuUs / 1000 / slower.windowMs;
  return `${facts}. It is ${name} that saturates: it takes ${cores.toFixed(2)} of ${processors} processors, and none is left.`;
}
