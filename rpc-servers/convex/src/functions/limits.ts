/*
 * Convex ends a transaction that writes more than 16,000 documents or 16 MiB, that scans more than 32,000 documents
 * or 16 MiB, or that computes for more than 1 s; an array has at most 8,192 elements
 * (https://docs.convex.dev/production/state/limits).
 */

/** A quarter of what a transaction may write, for the second in which it has to be done is the narrower limit. */
export const rowsPerLoad = 4_000;

/** What an array holds, rounded down. */
export const rowsPerPage = 8_000;
