import { expect, test } from 'vitest';
import postgres from '@fair-bench/connector-postgres';
import { servicesOf } from './support/project-file.ts';

const base = servicesOf('docker-compose.yml');
const fair = servicesOf('docker-compose-fair.yml');
const databases = [...base].flatMap(([name, { profiles }]) => (profiles.includes('databases') ? [name] : []));
/** A session's starting settings, where the profile names what is then in force. */
const startSettings: Readonly<Record<string, string>> = {
  transaction_isolation: 'default_transaction_isolation',
};

test('it has every service of the other stack, unchanged', () => {
  expect([...fair.keys()]).toEqual([...base.keys()]);
  for (const [name, service] of fair) {
    expect(service.extends).toEqual({ file: 'docker-compose.yml', service: name });
    expect(service.image ?? null, `${name} has another image`).toBe(null);
  }
});

test('every database has the same CPU and the same memory, and no swap', () => {
  const limitsOf = (name: string) => {
    const service = fair.get(name);
    return { cpus: service?.cpus, memory: service?.mem_limit, withSwap: service?.memswap_limit };
  };
  const [first = '', ...others] = databases;
  const limits = limitsOf(first);
  expect(limits.cpus).toBeDefined();
  expect(limits.memory).toBeDefined();
  expect(limits.withSwap).toBe(limits.memory);
  for (const name of others) expect(limitsOf(name), name).toEqual(limits);
});

test.each(['postgres', 'supabase'])('%s gets every setting of the fair profile', (name) => {
  const command = fair.get(name)?.command ?? [];
  for (const { setting, accepted } of postgres.fairProfile) {
    const given = command.filter((word) => word.startsWith(`--${startSettings[setting] ?? setting}=`));
    expect(given, `${name} ${setting}`).toHaveLength(1);
    expect(accepted).toContain(given[0]?.split('=')[1]);
  }
});

test('SpacetimeDB stores on disk', () => {
  const { command = [] } = base.get('spacetimedb') ?? {};
  expect(command).toContain('--data-dir');
  expect(command).not.toContain('--in-memory');
  expect(fair.get('spacetimedb')?.command).toEqual([]);
});
