import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Deployment } from '@fair-bench/contract';
import { chosen, inTestAll } from '@fair-bench/contract/test-support';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { changesSettingsAndBack } from './liars/changes-settings-and-back.ts';
import { commitsAsyncItself } from './liars/commits-async-itself.ts';
import { flushesTheDisk } from './liars/flushes-the-disk.ts';
import { keepsItsLogInMemory, type LogInMemory } from './liars/keeps-its-log-in-memory.ts';
import {
  claimsADisk,
  claimsDurability,
  hidesItsServer,
  replacesFunctions,
} from './liars/lying-deployments.ts';
import { workloadNamed } from '../src/workloads.ts';
import { runSql } from './support/run-sql.ts';
import { caught, LiarBench, verdictOf } from './support/liar-bench.ts';

const system = 'postgres-driver';
let bench: LiarBench;

beforeAll(async () => {
  bench = await LiarBench.open(system);
});
afterEach(() => configure('ALTER SYSTEM RESET ALL'));
afterAll(() => bench.close());

describe.each([
  ['fsync', 'claims-durability-without-fsync'],
  ['synchronous_commit', 'claims-durability-without-waiting'],
] as const)('commits acknowledged with %s off', (setting, liar) => {
  test('void the trial of a target that claims to be durable', async () => {
    await configure(`ALTER SYSTEM SET ${setting} = off`);
    const record = caught(liar, await bench.withoutClient(system, { controlPlane: claimsDurability }));
    expect(verdictOf(record)).toMatch(
      /durable commits were claimed, but the (disk saw|database counted) \d+ flushes/,
    );
    expect(record.audit?.status).toBe('passed');
  });

  inTestAll(() => {
    test('have a number if the target reports them', async () => {
      await configure(`ALTER SYSTEM SET ${setting} = off`);
      const record = await bench.withoutClient(system);
      expect(verdictOf(record)).toBe('ok');
      expect(record).toMatchObject({ factsAfter: { durability: 'async', settings: { [setting]: 'off' } } });
    });
  });
});

test('settings changed and changed back while the load runs void the trial', async () => {
  const change = async () => await configure('ALTER SYSTEM SET fsync = off');
  const changeBack = async () => await configure('ALTER SYSTEM RESET fsync');
  const record = await bench.withoutClient(system, {
    windowMs: 1_500,
    controlPlane: (deployment) => changesSettingsAndBack(deployment, change, changeBack),
  });
  caught('changes-settings-and-back', record);
  const verdict = verdictOf(record);
  expect(verdict).toMatch(/^void: settings were changed while the load ran: fsync: on → off; /);
  expect(verdict).toMatch(/configuration loaded: /);
  expect(verdict).toMatch(/fsync: off → on/);
  expect(record.audit?.status).toBe('passed');
});

test('operations that turn waiting for the log off for half of the commits void the trial', async () => {
  const record = await bench.withoutClient(system, {
    windowMs: 1_500,
    controlPlane: (deployment) => replacesFunctions(deployment, commitsAsyncItself),
  });
  caught('commits-async-itself', record);
  expect(verdictOf(record)).toMatch(
    /^void: durable commits were claimed, but others saw one before it was flushed, in \d+ or more of \d+ looks: transaction \d+ /,
  );
  expect(record).toMatchObject({
    audit: { status: 'passed' },
    facts: { settings: { synchronous_commit: 'on' } },
  });
});

describe('operations that share a transaction', () => {
  const liars = [
    [
      'batches-operations',
      /one transaction was the last to write \d+ rows of account, and an operation writes at most 2/,
    ],
    [
      'batches-in-parts',
      /one transaction had \d+ subtransactions that had written, and an operation writes at most 2/,
    ],
  ] as const;
  test.each(chosen(liars, (_, place) => place === 0))('void the trial: %s', async (liar, reason) => {
    const record = await bench.withClient(system, liar, 'told', { windowMs: 1_200 });
    expect(verdictOf(record)).toMatch(reason);
    expect(record.audit?.status).toBe('passed');
  });

  test('pass as transactions of their own', async () => {
    const record = await bench.withClient(system, 'batches-operations', 'none', { sizes: { rows: 100 } });
    expect(verdictOf(record)).toBe('ok');
    expect(record).toMatchObject({ observed: { lastWriters: { tables: [{ rowsMost: 2 }] } } });
  });
});

describe.runIf(process.platform === 'linux')(
  'a log in memory, while another program flushes the disk of the data,',
  () => {
    let liar: LogInMemory;
    let inMemory: LiarBench;
    beforeAll(async () => {
      const server = bench.deployment(system).processes.find(({ role }) => role === 'database');
      if (server === undefined) throw new Error(`${system} has no server of ours`);
      liar = await keepsItsLogInMemory(server.pid);
      inMemory = await LiarBench.with({ program: liar.program }, await workloadNamed('transfer'), system);
    });
    afterAll(async () => {
      await inMemory.close();
      await liar.remove();
    });
    const besideFlushes = async (controlPlane?: (deployment: Deployment) => Deployment) => {
      const folder = await mkdtemp('/var/tmp/fair-bench-flushes-');
      const others = flushesTheDisk(join(folder, 'file'));
      try {
        // A flush may cover a commit of each writer: so many writers that the others' flushes would do, and what is left without them would not.
        const setting = { sessions: 40, depth: 1, windowMs: 1_000 };
        return await inMemory.withoutClient(
          system,
          controlPlane === undefined ? setting : { ...setting, controlPlane },
        );
      } finally {
        others[Symbol.dispose]();
        await rm(folder, { recursive: true });
      }
    };

    test('voids the trial by where it lies alone', async () => {
      const record = caught('keeps-its-log-in-memory', await besideFlushes());
      expect(verdictOf(record)).toMatch(
        /^void: durable commits were claimed, but the storage is \w+, log on tmpfs: a power cut empties it/,
      );
      expect(record.audit?.status).toBe('passed');
    });

    test('said to lie on the disk, voids the trial by what the server itself wrote there', async () => {
      const record = caught('claims-a-disk', await besideFlushes(claimsADisk));
      expect(verdictOf(record)).toMatch(
        /^void: durable commits were claimed, but the server itself wrote \d+ KiB to a disk/,
      );
      expect(record.audit?.status).toBe('passed');
    });

    inTestAll(() => {
      test('said to lie on the disk of a server that nobody sees, voids the trial by the flushes of others before and after the load', async () => {
        const record = caught(
          'hides-its-server',
          await besideFlushes((deployment) => hidesItsServer(claimsADisk(deployment))),
        );
        expect(verdictOf(record)).toMatch(
          /^void: durable commits were claimed, but the disk saw \d+ flushes, of which as many as before and after the load \(\d+\)/,
        );
        expect(record.audit?.status).toBe('passed');
      });
    });
  },
);

test('the same claim passes where it is true', async () => {
  const record = await bench.withoutClient(system, { controlPlane: claimsDurability, windowMs: 1_500 });
  expect(verdictOf(record)).toBe('ok');
  expect(record).toMatchObject({ factsAfter: { durability: 'durable' } });
});

async function configure(statement: string): Promise<void> {
  const { url } = bench.deployment(system).endpoint;
  await runSql(url, statement);
  await runSql(url, 'SELECT pg_reload_conf()');
}
