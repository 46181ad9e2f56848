import { describe, expect, test } from 'vitest';
import { chosen } from '@fair-bench/contract/test-support';
import { suiteTarget, workloadNamed } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import { members } from './support/members.ts';

const counter = await workloadNamed('counter');

describe.for(chosen(members, ({ name }) => name === 'mariadb'))('$name', async (member) => {
  const { lacking, target } = await suiteTarget(routeOf(member.connector, 'driver'), counter);

  test('a call that waits for its reply rejects when its connection is ended, as an interruption does', async ({
    skip,
  }) => {
    if (lacking !== null) skip(lacking);
    const connection = await member.system.connect(target().deployment.endpoint.url);
    const call = connection.query('SELECT SLEEP(60)', []);
    setTimeout(() => void connection.end(), 100);
    await expect(call).rejects.toThrow('the connection was ended');
  }, 10_000);
});
