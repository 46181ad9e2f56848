import { supportedFrom, supportWidthMax } from '@fair-bench/analysis';
import type { ClaimResult, RunSummary } from '@fair-bench/results';
import { absent, formatNumber, formatRatio, rangeText, ratioText } from './format.ts';
import { left, right, type Section, tableOf } from './section.ts';

type Statement = NonNullable<ClaimResult['statements']>[number];
type Figure = ClaimResult['figures'][number];

/** A published claim beside the measurement. */
export function claimSection({ claim }: RunSummary): readonly Section[] {
  if (claim === undefined) return [];
  const { name, statement, source, date, verdict, because, claimedRatio, measured } = claim;
  const { breaks, statements = [], figures } = claim;
  return [
    {
      title: `Claim ${name}: ${verdict}`,
      lines: [
        `${statement} (${source}; date: ${date}).`,
        `Claimed ${formatRatio(claimedRatio)} ×, ${measured === null ? 'not measured' : `measured ${ratioText(measured)}: ${verdict}`}, because ${because}.`,
        `Supported: the whole interval of the measured ratio reaches ${supportedFrom} of the claimed one, and is no wider than ${supportWidthMax} × to either side. Contradicted: the whole interval stays below. Undecided: neither. Corrected for all statements of the claim (Holm).`,
      ],
      table: tableOf(statementColumns, statements),
    },
    {
      title: 'Rules that its own settings break',
      lines: breaks.length === 0 ? ['None that is known.'] : breaks.map(({ rule, why }) => `${rule}: ${why}`),
      table: null,
    },
    { title: 'Its figures beside ours', lines: [], table: tableOf(figureColumns, figures) },
  ];
}

const statementColumns = [
  left('statement', ({ statement }: Statement) => statement),
  right('claimed', ({ claimedRatio }: Statement) => `${formatRatio(claimedRatio)} ×`),
  right('measured', ({ measured }: Statement) =>
    measured === null ? absent : `${formatRatio(measured.ratio)} ×`,
  ),
  right('95 %', ({ measured }: Statement) => rangeText(measured?.ci95 ?? null)),
  left('verdict', ({ verdict }: Statement) => verdict),
  left('because', ({ because }: Statement) => because),
];

const figureColumns = [
  left('figure', ({ label }: Figure) => label),
  right('claimed TPS', ({ claimedTps }: Figure) => formatNumber(claimedTps)),
  left('in the source', ({ where }: Figure) => where ?? absent),
  right('TPS here', ({ measuredTps }: Figure) => (measuredTps === null ? absent : formatNumber(measuredTps))),
  right('95 %', ({ ci95 }: Figure) => rangeText(ci95, formatNumber)),
  left('note', ({ note }: Figure) => note),
];
