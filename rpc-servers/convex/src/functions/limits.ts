/*
 * Convex ends a transaction that writes more than 16,000 documents or 16 MiB, that scans more than 32,000 documents
 * or 16 MiB, or that computes for more than 1 s; an array has at most 8,192 elements
 * (https://docs.convex.dev/production/state/limits).
 */

/** A quarter of what a transaction may write, because its second of computing is the narrower limit. */
export const rowsPerLoad = 4_000;

/** The maximal length of an array, rounded down. */
export const rowsPerPage = 8_000;
