/** A URL without what nobody else may read: its password, and query parameters that carry one. */
export function redactUrl(url: string): string {
  const redacted = new URL(url);
  if (redacted.password !== '') redacted.password = '***';
  for (const name of new URL(url).searchParams.keys()) {
    if (/pass|secret|token|key$/i.test(name)) redacted.searchParams.set(name, '***');
  }
  return redacted.href;
}

/** A command line as it may be written down: every `SYSTEM=URL` in it redacted. */
export function redactCommand(commandArguments: readonly string[]): string[] {
  return commandArguments.map((argument) => {
    const match = /^((?:--url=)?[a-z][a-z0-9-]*=)(.+)$/.exec(argument);
    const [, prefix, url] = match ?? [];
    return prefix !== undefined && url !== undefined && URL.canParse(url)
      ? `${prefix}${redactUrl(url)}`
      : argument;
  });
}
