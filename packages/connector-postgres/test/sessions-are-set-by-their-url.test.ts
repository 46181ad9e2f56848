import { afterAll, beforeAll, expect, test } from 'vitest';
import { factsFromSettings } from '../src/settings.ts';
import { sessionUrl } from '../src/session-url.ts';
import { type TestServer, soon, startServer } from './support/provision.ts';

let theirs: TestServer;

beforeAll(async () => {
  theirs = await startServer();
});

afterAll(async () => {
  await theirs.close();
});

const defaults = { durability: 'durable', isolation: null, extra: {} } as const;
const base = 'postgres://u:p@127.0.0.1:5432/d';

test('nothing is added without a request', () => {
  expect(sessionUrl(base, defaults)).toBe(base);
});

test('requested settings come after those of the URL, and no space becomes a plus sign', () => {
  const url = sessionUrl(`${base}?sslmode=disable&options=-c%20statement_timeout%3D5s`, {
    durability: 'async',
    isolation: 'snapshot',
    extra: {},
  });
  expect(url).not.toContain('+');
  expect(new URL(url).searchParams.get('sslmode')).toBe('disable');
  expect(new URL(url).searchParams.getAll('options')).toEqual([
    String.raw`-c statement_timeout=5s -c synchronous_commit=off -c default_transaction_isolation=repeatable\ read`,
  ]);
});

test('variants of one server differ only in their sessions, also by URL', async () => {
  const requested = { durability: 'async', isolation: 'serializable' } as const;
  const variant = await startServer({ url: theirs.service.url, ...requested });
  try {
    const [plainSession, session] = [await theirs.session(), await variant.session()];
    const facts = factsFromSettings(await (await session.connection()).settings());
    expect(facts).toMatchObject(requested);
    expect(factsFromSettings(await (await plainSession.connection()).settings())).toMatchObject({
      durability: 'durable',
      isolation: 'read-committed',
    });
    await Promise.all([plainSession.close(), session.close()]);
  } finally {
    await variant.close();
  }
});

test('a target that requests an isolation level reads that level back', async () => {
  for (const isolation of ['read-committed', 'snapshot', 'serializable'] as const) {
    const url = sessionUrl(theirs.service.url, { durability: 'durable', isolation, extra: {} });
    const variant = await startServer({ url });
    const session = await variant.session();
    expect(factsFromSettings(await (await session.connection()).settings()).isolation).toBe(isolation);
    await session.close();
    // The schema is dropped with the service; the next one creates it again.
    await variant.close();
  }
  await theirs.service.check(soon());
});
