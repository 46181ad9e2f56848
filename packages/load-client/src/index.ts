import { fileURLToPath } from 'node:url';

/**
 * Starts the process: `node ...loadClientArguments`; it speaks the protocol in PROTOCOL.md. V8 sizes the young
 * generation by what survives in it, and so by how much a client module imports; therefore every client begins with
 * the maximum.
 */
export const loadClientArguments: readonly string[] = [
  '--min-semi-space-size=16',
  fileURLToPath(new URL('./main.ts', import.meta.url)),
];

/** The program that carries a trial out by hand: `node byHandPath PLAN COMMAND [ARGUMENT…]`. */
export const byHandPath = fileURLToPath(new URL('./by-hand.ts', import.meta.url));

export { ClientProcess, type LoadClientCommand } from './client-process.ts';
export { mergeCounts } from './counts.ts';
export { decodeHistogram, latencySummaryMs, mergeHistograms } from './histogram.ts';
export { type DecodedHistogram } from './histogram.ts';
export { Leader, leadAlone } from './leader.ts';
export { mergeClientResults, type PartOfTrial } from './merge-results.ts';
export { reportedLatency } from './open-loop.ts';
export { importClient } from './modules.ts';
export { closeSessions, unlessAborted } from './session-waits.ts';
export { type WarmedUp } from './warm-up.ts';
