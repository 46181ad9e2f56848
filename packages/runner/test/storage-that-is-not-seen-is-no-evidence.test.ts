import { afterAll, beforeAll, expect, test } from 'vitest';
import { Client } from 'pg';
import { readSummary, smallRun, startCommand } from './support/command.ts';
import { measured } from './support/measured.ts';
import { startUsersServer } from './support/users-server.ts';

const testTimeoutMs = 200_000;
let scratch = '';
let close: () => Promise<void> = async () => {};
/** The URLs of the server for its owner, and for a role that may not ask where its data lies. */
const urls = { owner: '', guest: '' };

/** A real server. To its guest it looks the same on a disk and on a file system in memory, as in a container of a CI. */
beforeAll(async () => {
  const users = await startUsersServer();
  ({ scratch, close } = users);
  const { server } = users;
  urls.owner = server.url;
  const client = new Client({ connectionString: server.url });
  await client.connect();
  await client.query("CREATE ROLE guest LOGIN PASSWORD 'open-sesame'");
  await client.query('CREATE DATABASE app OWNER guest');
  await client.end();
  const guest = new URL(server.url);
  guest.username = 'guest';
  guest.password = 'open-sesame';
  guest.pathname = '/app';
  urls.guest = guest.href;
}, testTimeoutMs);
afterAll(async () => await close());

test(
  'durable settings of a server whose storage is not seen are requested, in the first line, the table and the JSON',
  async () => {
    const system = ['--systems', 'postgres-driver', '--url', `postgres=${urls.guest}`];
    const { out, code, output } = await measured(scratch, (to) =>
      startCommand([...smallRun, ...system, '--trials', '1', '--verbose', '--out', to]),
    );
    expect(code, output).toBe(0);
    expect(output).toMatch(/VALID.*; durability requested, not observed: postgres-driver/s);
    const { durability, verdict } = await readSummary(out);
    expect(verdict.fair).toBe(true);
    expect(durability.map(({ basis }) => basis)).toEqual([
      expect.objectContaining({ status: 'requested', isStorageUnknown: true }),
    ]);
  },
  testTimeoutMs,
);

test(
  'for its owner, who sees on which disk its log lies, they are read',
  async () => {
    const system = ['--systems', 'postgres-driver', '--url', `postgres=${urls.owner}`];
    const { out, code, output } = await measured(scratch, (to) =>
      startCommand([...smallRun, ...system, '--trials', '1', '--out', to]),
    );
    expect(code, output).toBe(0);
    expect(output).not.toContain('durability requested');
    const { durability } = await readSummary(out);
    expect(durability.map(({ basis }) => basis.status)).toEqual(['read']);
  },
  testTimeoutMs,
);
