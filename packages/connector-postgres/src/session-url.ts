import type { Isolation, TargetSettings } from '@fair-bench/contract';

const isolationNames: Readonly<Record<Isolation, string>> = {
  'read-uncommitted': 'read uncommitted',
  'read-committed': 'read committed',
  'repeatable-read': 'repeatable read',
  // PostgreSQL's repeatable read is snapshot isolation, and facts call it so.
  snapshot: 'repeatable read',
  serializable: 'serializable',
};

/**
 * The URL of a target's sessions: their requested settings are in its `options`, after those of the user's URL, so
 * that one server serves every variant of a target. Durable commits are not requested: a server with other settings
 * must show as it is.
 */
export function sessionUrl(
  url: string,
  { durability, isolation }: Pick<TargetSettings, 'durability' | 'isolation'>,
): string {
  const requested = [
    ...(durability === 'async' ? ['synchronous_commit=off'] : []),
    ...(isolation === null ? [] : [`default_transaction_isolation=${isolationNames[isolation]}`]),
  ];
  if (requested.length === 0) return url;
  const changed = new URL(url);
  const before = changed.searchParams.get('options');
  changed.searchParams.delete('options');
  const options = [
    ...(before === null ? [] : [before]),
    ...requested.map((setting) => `-c ${setting.replaceAll(' ', '\\ ')}`),
  ].join(' ');
  // Percent-encoded, including spaces: some drivers read a plus sign as a space, others as a plus sign.
  const others = changed.search === '' ? '?' : `${changed.search}&`;
  changed.search = `${others}options=${encodeURIComponent(options)}`;
  return changed.href;
}
