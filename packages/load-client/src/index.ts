import { fileURLToPath } from 'node:url';

/** The path of the process to start: `node <loadClientMain>`; it speaks the protocol in PROTOCOL.md. */
export const loadClientMain = fileURLToPath(new URL('./main.ts', import.meta.url));

export { mergeCounts } from './counts.ts';
export { decodeHistogram, latencySummaryMs, mergeHistograms } from './histogram.ts';
export { type DecodedHistogram, type LatencySummaryMs } from './histogram.ts';
