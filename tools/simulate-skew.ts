/**
 * The error in the sum of several machines' throughput when one of them measures late, or is lost without notice: a
 * target of fixed capacity, shared evenly by the sending agents, in steps of 1 ms. Run by `node
 * tools/simulate-skew.ts`.
 */
const windowMs = 10_000;
const warmupMs = 2000;
const capacityPerMs = 100;

/** The reported sum, as a share of the truth. `eachMax` is one agent's maximum per ms. */
function reportedShare(agents: number, eachMax: number, lateMs: number, lostAtMs: number | null): number {
  const truth = Math.min(capacityPerMs, agents * eachMax) * windowMs;
  let sum = 0;
  for (let ms = 0; ms < warmupMs + windowMs + lateMs; ms += 1) {
    const sending = Array.from({ length: agents }, (_, agent) => {
      const endMs = warmupMs + windowMs + (agent === 0 ? lateMs : 0);
      const isLost = agent === 0 && lostAtMs !== null && ms >= warmupMs + lostAtMs;
      return ms < endMs && !isLost;
    });
    const count = sending.filter(Boolean).length;
    const each = Math.min(eachMax, capacityPerMs / Math.max(1, count));
    for (const [agent, isSending] of sending.entries()) {
      const fromMs = warmupMs + (agent === 0 ? lateMs : 0);
      if (isSending && ms >= fromMs) sum += each;
    }
  }
  return sum / truth;
}

const percent = (share: number): string => `${((share - 1) * 100).toFixed(2)} %`;
process.stdout.write('agents  limit   late 1 %  late 5 %  late 20 %  one lost half-way\n');
for (const agents of [2, 4, 16]) {
  for (const limit of ['target', 'agents'] as const) {
    const eachMax = limit === 'target' ? capacityPerMs : capacityPerMs / agents;
    const late = [0.01, 0.05, 0.2].map((share) =>
      percent(reportedShare(agents, eachMax, windowMs * share, null)),
    );
    const lost = percent(reportedShare(agents, eachMax, 0, windowMs / 2));
    process.stdout.write(
      `${[String(agents).padEnd(7), limit.padEnd(7), ...late.map((one) => one.padEnd(9)), lost].join(' ')}\n`,
    );
  }
}
