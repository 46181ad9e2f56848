import { type Isolation, ourSchema, type TargetSettings } from '@fair-bench/contract';

const isolationNames: Readonly<Record<Isolation, string>> = {
  'read-uncommitted': 'read uncommitted',
  'read-committed': 'read committed',
  'repeatable-read': 'repeatable read',
  // PostgreSQL's repeatable read is snapshot isolation, and facts call it so.
  snapshot: 'repeatable read',
  serializable: 'serializable',
};

type Requested = Pick<TargetSettings, 'durability' | 'isolation' | 'extra'> &
  Partial<Pick<TargetSettings, 'setup'>>;

/**
 * The settings that a target's sessions request, so that one server serves every variant of a target. Durable commits
 * are not requested: a server with other settings must show as it is.
 */
export function requestedSettings({
  durability,
  isolation,
}: Pick<TargetSettings, 'durability' | 'isolation'>): Readonly<Record<string, string>> {
  return {
    ...(durability === 'async' ? { synchronous_commit: 'off' } : {}),
    ...(isolation === null ? {} : { default_transaction_isolation: isolationNames[isolation] }),
  };
}

/**
 * The URL of a target's sessions: their requested settings are in its `options`, after those of the user's URL. With `tls=on` they are
 * encrypted and verify nothing: the server signed its certificate itself.
 */
export function sessionUrl(url: string, requested: Requested): string {
  // Functions and triggers of the user's own tables name them without a schema, and mean ours.
  const path = (requested.setup ?? null) === null ? {} : { search_path: ourSchema() };
  const changed = withOptions(url, { ...requestedSettings(requested), ...path });
  if (requested.extra['tls'] !== 'on') return changed;
  return asLibpq(`${changed}${changed.includes('?') ? '&' : '?'}sslmode=require`);
}

/**
 * A user's URL whose `sslmode` means what it means in psql and in every other client of libpq: `require` encrypts and
 * verifies nothing, `verify-ca` and `verify-full` do. node-postgres would read all of them as `verify-full`. With
 * `sslrootcert=system`, as some vendors write it, the public authorities are meant, which Node.js knows by itself; node-postgres
 * would look for a file of that name.
 */
export function asLibpq(url: string): string {
  if (!URL.canParse(url)) return url;
  const changed = new URL(url);
  const { searchParams } = changed;
  const isSystem = searchParams.get('sslrootcert') === 'system';
  if (isSystem) {
    searchParams.delete('sslrootcert');
    searchParams.set('sslmode', 'verify-full');
  }
  const isPlain = ['disable', null].includes(searchParams.get('sslmode'));
  if (isPlain || searchParams.has('uselibpqcompat')) return isSystem ? changed.href : url;
  return `${isSystem ? changed.href : url}&uselibpqcompat=true`;
}

/**
 * A URL whose sessions have these settings, after those of its own `options`.
 * @param escaped a value as the server at the URL reads it there; PostgreSQL ends it at a space without a backslash.
 */
export function withOptions(
  url: string,
  settings: Readonly<Record<string, string>>,
  escaped = (value: string): string => value.replaceAll(' ', '\\ '),
): string {
  const requested = Object.entries(settings);
  if (requested.length === 0) return url;
  const changed = new URL(url);
  const before = changed.searchParams.get('options');
  changed.searchParams.delete('options');
  const options = [
    ...(before === null ? [] : [before]),
    ...requested.map(([name, value]) => `-c ${name}=${escaped(value)}`),
  ].join(' ');
  // Percent-encoded, including spaces: some drivers read a plus sign as a space, others as a plus sign.
  const others = changed.search === '' ? '?' : `${changed.search}&`;
  changed.search = `${others}options=${encodeURIComponent(options)}`;
  return changed.href;
}
