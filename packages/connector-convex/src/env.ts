/** A variable named in a target's options; null when it is not set. */
export function environmentValue(name: string): string | null {
  const value = process.env[name];
  return value === undefined || value === '' ? null : value;
}

/** Where Convex's command line finds the programs that it starts. */
export function searchPath(): string {
  return process.env['PATH'] ?? '';
}
