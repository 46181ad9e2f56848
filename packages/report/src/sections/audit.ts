import { type AuditSummary, type RunSummary } from '@fair-bench/results';
import { formatNumber } from './format.ts';
import { left, type Section, tableOf } from './section.ts';

/** What the audits checked of each operation, and which reads did not fit into the logs. */
export function auditSection({ audit }: RunSummary): readonly Section[] {
  if (audit === undefined) return [];
  const columns = [
    left<AuditSummary['asserted'][number]>('operation', ({ operation }) => operation),
    left<AuditSummary['asserted'][number]>('asserted of every trial', ({ assertions }) =>
      assertions.length === 0 ? 'nothing: it has no effect and returns nothing' : assertions.join('\n'),
    ),
    left<AuditSummary['asserted'][number]>('not asserted', ({ notAsserted = [] }) => notAsserted.join('\n')),
  ];
  return [{ title: 'Audit', lines: [describeLogs(audit)], table: tableOf(columns, audit.asserted) }];
}

function describeLogs({ logBytesMax, logBytesBound, readsOfEvery }: AuditSummary): string {
  const [most, bound] = [logBytesMax, logBytesBound].map((bytes) => formatNumber(bytes / 2 ** 20));
  const reads = ['no row', 'every row', 'every second row', '', 'every fourth row'][readsOfEvery];
  return (
    `Outcome logs took at most ${most} MiB a trial; a load client keeps ${bound} MiB of them, and when they are full it no longer ` +
    `logs the reads of every second row, then of three in four, then none. Here the reads of ${reads} were logged.`
  );
}
