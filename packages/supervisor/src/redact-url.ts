/** A URL for display: without its password. A text that is not a URL is not shown. */
export function redactUrl(url: string): string {
  if (!URL.canParse(url)) return '(a URL that cannot be parsed)';
  const redacted = new URL(url);
  if (redacted.password !== '') redacted.password = '***';
  for (const name of new Set(redacted.searchParams.keys())) {
    if (/pass|secret|token|key$/i.test(name)) redacted.searchParams.set(name, '***');
  }
  return redacted.href;
}
