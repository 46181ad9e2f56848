/** A URL as it may be shown: without its password. What does not parse as a URL is not shown at all. */
export function redactUrl(url: string): string {
  if (!URL.canParse(url)) return '(a URL that cannot be parsed)';
  const redacted = new URL(url);
  if (redacted.password !== '') redacted.password = '***';
  for (const name of new Set(redacted.searchParams.keys())) {
    if (/pass|secret|token|key$/i.test(name)) redacted.searchParams.set(name, '***');
  }
  return redacted.href;
}
