import { expect, test } from 'vitest';
import { renderListing } from '../src/list/index.ts';

test('what is available stands together, and what is not has one line with its whole reason and remedy', () => {
  const listing = { system: 'any', route: 'any' };
  const reason = 'no server was found on this machine, which is a reason of more than one line of a terminal';
  const text = renderListing([
    { ...listing, target: 'convex-http', available: false, reason, remedy: 'start one' },
    { ...listing, target: 'postgres-driver', available: true, version: '18.4' },
    { ...listing, target: 'lmdb-heed', available: true },
  ]);
  expect(text.split('\n')).toEqual([
    'Available here (2):',
    '  postgres-driver  18.4',
    '  lmdb-heed',
    '',
    'Unavailable (1):',
    `  convex-http      ${reason}; start one`,
  ]);
});
