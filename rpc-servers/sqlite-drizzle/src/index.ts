/** Filled in by this package's own sources. */
export const placeholder = true;
