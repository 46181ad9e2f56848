import type { RunSummary } from '@fair-bench/results';
import { claimSection } from './claim.ts';
import { comparisonsSection } from './comparisons.ts';
import { environmentSection, figuresSection } from './environment.ts';
import { explanationSection } from './explanation.ts';
import { unmeasuredSection, warningsSection } from './notices.ts';
import { optimizedComparisons, optimizedResults, searchSection } from './optimized.ts';
import { paritySection } from './parity.ts';
import { profilesSection } from './profiles.ts';
import { resultsSection } from './results.ts';
import { sweepsSection } from './sweeps.ts';
import type { Section } from './section.ts';

export { describeVerdict } from './parity.ts';
export { type Column, type Section, type Table } from './section.ts';

/** All parts of a report in their order; what has nothing to say is left out. */
export function sectionsOf(summary: RunSummary): readonly Section[] {
  const isOptimized = summary.run.mode === 'optimized';
  const results = isOptimized ? optimizedResults(summary) : [resultsSection(summary)];
  return [
    ...(summary.cells.length === 0 ? [] : results),
    ...unmeasuredSection(summary),
    ...searchSection(summary),
    ...claimSection(summary),
    ...explanationSection(summary),
    ...(isOptimized ? optimizedComparisons(summary) : comparisonsSection(summary)),
    ...sweepsSection(summary),
    ...paritySection(summary),
    ...profilesSection(summary),
    ...warningsSection(summary),
    ...figuresSection(summary),
    environmentSection(summary),
  ];
}
