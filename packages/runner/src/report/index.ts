export { readArtifacts, readPlan, readSummary } from './read-artifacts.ts';
export { renderMarkdown } from './markdown.ts';
export { renderHtmlReport, renderReport } from './render-report.ts';
export { summarize, type SummaryInput } from './summarize.ts';
export { targetOutcomeSchema, type TargetOutcome, type UnavailableCell } from './target-outcome.ts';
export { renderTerminal, type TerminalOptions } from './terminal.ts';
export { terminalOptions } from './terminal-options.ts';
export { trialFile, trialRecordSchema, type TrialRecord } from './trial-record.ts';
export { writeReports } from './write-reports.ts';
