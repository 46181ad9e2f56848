import { expect, test } from 'vitest';
import { workloadNamed } from '@fair-bench/conformance';
import { connect } from '../src/connection.ts';
import { loneMariaDb } from './support/lone-mariadb.ts';

const { lacking, target } = await loneMariaDb(await workloadNamed('counter'));

test('a call that waits for its reply rejects when its connection is ended, as an interruption does', async ({
  skip,
}) => {
  if (lacking !== null) skip(lacking);
  const connection = await connect(target().deployment.endpoint.url);
  const call = connection.query('SELECT SLEEP(60)', []);
  setTimeout(() => void connection.end(), 100);
  await expect(call).rejects.toThrow('the connection was ended');
}, 10_000);
