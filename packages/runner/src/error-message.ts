/** An error in one line: its message, and those of its causes where they add something. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.message.replaceAll(/\s*\n\s*/g, ' ');
  if (error.cause === undefined) return own;
  const cause = messageOf(error.cause);
  return own.includes(cause) ? own : `${own} (${cause})`;
}
