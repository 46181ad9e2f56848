import { expect, test } from 'vitest';
import mariadb from '@fair-bench/connector-mariadb';
import mysql from '@fair-bench/connector-mysql';
import postgres from '@fair-bench/connector-postgres';
import { servicesOf } from './support/project-file.ts';

const base = servicesOf('docker-compose.yml');
const fair = servicesOf('docker-compose-fair.yml');
const databases = [...base].flatMap(([name, { profiles }]) => (profiles.includes('databases') ? [name] : []));

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

test.each([
  { name: 'postgres', system: postgres, flush: 'fsync' },
  { name: 'supabase', system: postgres, flush: 'fsync' },
  { name: 'mariadb', system: mariadb, flush: 'innodb_flush_log_at_trx_commit' },
  { name: 'mysql', system: mysql, flush: 'innodb_flush_log_at_trx_commit' },
])('$name gets every setting of the fair profile', ({ name, system, flush }) => {
  const command = fair.get(name)?.command ?? [];
  // Some apply only with another setting of the target, as those of a pooler; the images have InnoDB.
  const always = system.fairProfile.filter(({ when }) => when === undefined || when.is.includes('InnoDB'));
  expect(always.map(({ setting }) => setting)).toContain(flush);
  for (const { setting, accepted } of always) {
    // PostgreSQL names a session's starting level otherwise than the level in force.
    const given = command.filter((word) =>
      [`--${setting}=`, `--default_${setting}=`].some((start) => word.startsWith(start)),
    );
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
