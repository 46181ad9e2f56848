import { hostBounds, type RunSummary, type MeasuredCell } from '@fair-bench/results';
import { formatNumber, plural } from './format.ts';
import type { Section } from './section.ts';

/** What else the machine did in the timed windows, and which trials were therefore measured again. */
export function hostSection({ cells }: RunSummary): readonly Section[] {
  const measured = cells.filter((cell) => cell.status === 'ok');
  if (measured.length === 0) return [];
  return [
    { title: 'Host', lines: [describeHost(measured), ...measured.flatMap(describeAgain)], table: null },
  ];
}

function describeHost(cells: readonly MeasuredCell[]): string {
  const hosts = cells.flatMap(({ host }) => host ?? []);
  if (hosts.length < cells.length)
    return 'Busy time, steal and foreign processes in the windows: not observed.';
  const busy = hosts.map(({ busyShareMean }) => busyShareMean);
  const waiting = hosts.flatMap(({ waitingShareMean }) => waitingShareMean ?? []);
  const foreign = hosts.flatMap(({ foreignShareMax }) => foreignShareMax ?? []);
  const foreignText =
    foreign.length < hosts.length
      ? 'that of foreign processes was not observed (it cannot be separated from servers in Docker or at a URL)'
      : `foreign processes took at most ${percent(Math.max(...foreign))} (limit ${percent(hostBounds.foreignShareMax)})`;
  const waitingText =
    waiting.length < hosts.length
      ? ''
      : ` Tasks waited for a processor during ${range(waiting)} of a window.`;
  return (
    `Processor time in the windows, by cell: busy ${range(busy)}; the hypervisor took at most ` +
    `${percent(Math.max(...hosts.map(({ stealShareMax }) => stealShareMax)))} (limit ${percent(hostBounds.stealShareMax)}); ` +
    `${foreignText}.${waitingText}`
  );
}

/** A trial that was measured again is listed with the reason. */
function describeAgain({ id, trials }: MeasuredCell): readonly string[] {
  return trials.flatMap((trial) => {
    if (trial.status !== 'ok' || trial.discardedTrials === undefined) return [];
    const disturbed = trial.discardedTrials.flatMap((one) => {
      if ('voidBy' in one) return [];
      const { file, host } = one;
      const { command } = host.foreignMost ?? { command: 'none' };
      const foreign =
        host.foreignShare === null ? '' : `, foreign ${percent(host.foreignShare)} (most: ${command})`;
      return `steal ${percent(host.stealShare)}${foreign}, kept in ${file}`;
    });
    if (disturbed.length === 0) return [];
    return [
      `${id}, round ${trial.round + 1}, was measured ${plural(disturbed.length, 'time')} more: ` +
        `${disturbed.join('; ')}. The first trial within the limits counts, else the least disturbed one.`,
    ];
  });
}

function range(shares: readonly number[]): string {
  const [least, most] = [Math.min(...shares), Math.max(...shares)].map(percent);
  return least === most ? `${least}` : `${least} to ${most}`;
}

function percent(share: number): string {
  return `${formatNumber(share * 100)} %`;
}
