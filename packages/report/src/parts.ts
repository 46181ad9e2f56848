import type { RunSummary } from '@fair-bench/results';
import type { Evidence } from './html/evidence.ts';
import { charts, sectionsMarkup } from './html/figure.ts';
import type { Content } from './html/markup.ts';
import { claimPage } from './html/sections/claim.ts';
import { cpuFigures } from './html/sections/cpu.ts';
import { explanationPage } from './html/sections/explanation.ts';
import { faultsPage } from './html/sections/faults.ts';
import { soakPage } from './html/sections/soak.ts';
import { latencyFigures } from './html/sections/latency.ts';
import { overviewFigures } from './html/sections/overview.ts';
import { searchFigures } from './html/sections/search.ts';
import { seriesPage } from './html/sections/series.ts';
import { sweepFigures } from './html/sections/sweeps.ts';
import { auditSection } from './sections/audit.ts';
import { claimSection } from './sections/claim.ts';
import { comparisonsSection } from './sections/comparisons.ts';
import { durabilitySection } from './sections/durability.ts';
import { environmentSection, figuresSection } from './sections/environment.ts';
import { explanationSection } from './sections/explanation.ts';
import { hostSection } from './sections/host.ts';
import { unmeasuredSection, voidsSection, warningsSection } from './sections/notices.ts';
import { optimizedComparisons, optimizedResults, searchSection } from './sections/optimized.ts';
import { operationsSection } from './sections/operations.ts';
import { faultsSection } from './sections/faults.ts';
import { soakSection } from './sections/soak.ts';
import { isolationSection } from './sections/isolation.ts';
import { paritySection } from './sections/parity.ts';
import { profilesSection } from './sections/profiles.ts';
import { resultsSections } from './sections/results.ts';
import type { Section } from './sections/section.ts';
import { sweepsSection } from './sections/sweeps.ts';

/**
 * One part of the report. Terminal and Markdown print its sections; HTML shows its page, or the sections if it has
 * none.
 */
interface Part {
  /** The chapter's title on the page, and its anchor. */
  readonly title: string;
  /** Empty where the part does not apply. */
  readonly sections: (summary: RunSummary) => readonly Section[];
  /** Charts, with or without the sections. */
  readonly page?: (evidence: Evidence) => Content;
}

const isOptimized = ({ run }: RunSummary): boolean => run.mode === 'optimized';

/** Every part of a report, in order: parts are added only here. */
const parts: readonly Part[] = [
  { title: 'Explanation', sections: explanationSection, page: ({ summary }) => explanationPage(summary) },
  { title: 'Claim', sections: claimSection, page: ({ summary }) => claimPage(summary) },
  { title: 'Soak', sections: soakSection, page: soakPage },
  { title: 'Overview', sections: () => [], page: (evidence) => charts(overviewFigures(evidence)) },
  { title: 'Results', sections: resultsOf },
  { title: 'Operations', sections: operationsSection },
  { title: 'Not measured', sections: unmeasuredSection },
  { title: 'Search', sections: searchSection, page: (evidence) => charts(searchFigures(evidence)) },
  {
    title: 'Comparisons',
    sections: (summary) =>
      isOptimized(summary) ? optimizedComparisons(summary) : comparisonsSection(summary),
  },
  { title: 'Sweeps', sections: sweepsSection, page: (evidence) => charts(sweepFigures(evidence)) },
  { title: 'Faults', sections: faultsSection, page: faultsPage },
  { title: 'Latency', sections: () => [], page: (evidence) => charts(latencyFigures(evidence)) },
  { title: 'Seconds', sections: () => [], page: seriesPage },
  { title: 'CPU', sections: () => [], page: (evidence) => charts(cpuFigures(evidence)) },
  { title: 'Parity', sections: (summary) => [...paritySection(summary), ...profilesSection(summary)] },
  { title: 'Durability', sections: durabilitySection },
  { title: 'Isolation', sections: isolationSection },
  { title: 'Audit', sections: auditSection },
  { title: 'Measured again', sections: voidsSection },
  { title: 'Warnings', sections: warningsSection },
  { title: 'Host', sections: hostSection },
  { title: 'Figures', sections: figuresSection },
  { title: 'Environment', sections: (summary) => [environmentSection(summary)] },
];

/** What the terminal and Markdown print, in order. */
export function sectionsOf(summary: RunSummary): readonly Section[] {
  return parts.flatMap(({ sections }) => sections(summary));
}

/** The chapters of the page, in the same order; the page leaves empty ones out. */
export function chaptersOf(
  evidence: Evidence,
): readonly { readonly title: string; readonly content: Content }[] {
  return parts.map(({ title, sections, page }) => ({
    title,
    content: page === undefined ? sectionsMarkup(sections(evidence.summary)) : page(evidence),
  }));
}

function resultsOf(summary: RunSummary): readonly Section[] {
  if (summary.cells.length === 0) return [];
  return isOptimized(summary) ? optimizedResults(summary) : resultsSections(summary);
}
