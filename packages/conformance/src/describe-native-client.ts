import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, type TestContext } from 'vitest';
import type { Route, TargetOptions } from '@fair-bench/contract';
import { type NativeClient, prepareNativeClient } from '@fair-bench/native-client';
import { runShortTrial } from './short-trial.ts';
import { Fixture } from './suite/fixture.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** The first build compiles everything that the client is made of. */
const buildMsMax = 20 * 60_000;

/**
 * Registers the tests of a connector whose targets the native load client speaks to as well, against its real
 * system and with the client that cargo builds. Skipped, with the reason, where either cannot be had.
 *
 * @param protocol what the manifest names under `clients.native`.
 */
export function describeNativeClient(
  route: Route,
  protocol: string,
  options: Partial<TargetOptions> = {},
): void {
  describe(`the native load client speaks to ${route.name}`, () => {
    // It has no use for the Node client's module.
    const fixture = new Fixture(route, '', options);
    let client: NativeClient | undefined;
    beforeAll(async () => {
      const built = { root, signal: AbortSignal.timeout(buildMsMax), onProgress: () => undefined };
      [client] = await Promise.all([prepareNativeClient(built), fixture.start()]);
    }, buildMsMax);
    afterAll(() => fixture.close());

    test.for([
      { depth: 1, initialBalance: '1000000000', declines: 0 },
      { depth: 8, initialBalance: '1000000000', declines: 0 },
      // Soon there is nothing left to move.
      { depth: 8, initialBalance: '5', declines: 1 },
    ])(
      'depth $depth from $initialBalance each: every transfer is accounted for',
      async ({ depth, initialBalance, declines }, { skip }) => {
        const { name, deployment, directory } = fixture.target(skip);
        const record = await runShortTrial({
          target: name,
          deployment,
          client: { kind: 'native', protocol },
          loadClient: { command: commandOf(client, skip), arguments: [] },
          directory,
          depth,
          parameters: { initialBalance },
        });
        expect(record.status === 'ok' ? 'holds' : record.reason).toBe('holds');
        expect(record.audit).toMatchObject({ status: 'passed', accountsChecked: 1_000, mismatches: 0 });
        if (record.status !== 'ok') return;
        const { client: told, total } = record.result;
        expect(told.name).toBe('native');
        expect(total.faults).toEqual({});
        expect(total.declined['insufficient-funds'] ?? 0).toBeGreaterThanOrEqual(declines);
      },
    );
  });
}

function commandOf(client: NativeClient | undefined, skip: TestContext['skip']): string {
  if (client === undefined) throw new Error('the native load client was not prepared');
  return client.available ? client.command : skip(`${client.reason}; ${client.remedy}`);
}
