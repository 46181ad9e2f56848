import { redactUrl } from '@fair-bench/supervisor';

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
