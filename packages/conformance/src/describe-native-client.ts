import { afterAll, beforeAll, describe, expect, test, type TestContext } from 'vitest';
import type { Route, TargetOptions } from '@fair-bench/contract';
import { type NativeClient, prepareNativeClient } from '@fair-bench/native-client';
import { onThisMachine, WireDepths } from '@fair-bench/runner';
import { smallParameters } from '@fair-bench/workload';
import { runShortTrialAgain, trialRows } from './short-trial.ts';
import { Fixture } from './suite/fixture.ts';
import { Stage } from './suite/stage.ts';
import { shortest } from './suite/life.ts';
import { chosen, everyTest, timedOn } from '@fair-bench/contract/test-support';
import { root, workloadNames } from './workloads.ts';

/** The first build compiles all dependencies. */
const buildMsMax = 20 * 60_000;

/**
 * Registers the tests of a connector whose targets the native load client supports, once for each workload of the
 * repository, against its real system and with the client that cargo builds. Skipped, with the reason, where either
 * is unavailable.
 * @param clientModulePath the module that the Node load client imports: it executes the first operation.
 * @param protocol what the manifest names under `clients.native`.
 * @param inside the engine that runs inside the client, absent where it speaks to a server; and the names of the workloads, by
 * default all of the repository's.
 */
export function describeNativeClient(
  route: Route,
  clientModulePath: string,
  protocol: string,
  options: Partial<TargetOptions> = {},
  inside: { readonly engine?: string; readonly workloads?: readonly string[] } = {},
): void {
  const { engine, workloads: all = workloadNames() } = inside;
  const stage = new Stage();
  const timed = timedOn(route.name, all);
  const workloads = chosen(all, (name) => timed.has(name));
  afterAll(() => stage.place.close());
  describe.each(workloads)(`the native load client speaks to ${route.name} on %s`, (workload) => {
    const fixture = new Fixture({ route, clientModulePath, options, workload, stage });
    stage.expect();
    let client: NativeClient | undefined;
    beforeAll(async () => {
      const built = {
        root,
        signal: AbortSignal.timeout(buildMsMax),
        onProgress: () => undefined,
        ...(engine === undefined ? {} : { engine }),
      };
      [client] = await Promise.all([prepareNativeClient(built), fixture.start()]);
    }, buildMsMax);
    afterAll(async () => void (await fixture.close()));

    // An engine's commits wait for one disk: a trial takes as long as what waits in it.
    const sessions = engine === undefined ? 8 : 4;
    const alone = [
      { sessions, depth: 1, batch: 1, amounts: 'of the defaults' },
      { sessions, depth: 8, batch: 1, amounts: 'of the defaults' },
      { sessions, depth: 8, batch: 1, amounts: 'that run out' },
    ];
    // Batches of several sessions could deadlock on few rows of a server, and a trial is short.
    const together = [
      { sessions: engine === undefined ? 1 : sessions, depth: 2, batch: 16, amounts: 'that run out' },
    ];
    const every = fixture.batch.includes('native') ? [...alone, ...together] : alone;
    const [first] = all;
    const settings =
      timed.has(workload) && (everyTest || workload === first)
        ? every
        : every.filter((one) => one.depth === 8 && one.amounts === 'that run out');
    test.for(settings)(
      'depth $depth, batch $batch, amounts $amounts: every operation is accounted for',
      async (setting, { skip }) => {
        const { name, deployment, directory, workload: loaded } = fixture.target(skip);
        const { description } = loaded;
        const hasWire = engine === undefined && setting.amounts !== 'that run out';
        const small = setting.amounts === 'that run out' ? { amounts: 5n } : {};
        const record = await runShortTrialAgain({
          target: name,
          deployment,
          client: { kind: 'native', protocol },
          loadClient: onThisMachine({ command: commandOf(client, skip), arguments: [] }),
          directory,
          workload: description,
          sessions: setting.sessions,
          depth: setting.depth,
          batch: setting.batch,
          ...shortest,
          ...(hasWire ? { wire: new WireDepths() } : {}),
          parameters: smallParameters(description, { rows: trialRows, ...small }),
        });
        expect(record.status === 'ok' ? 'holds' : record.reason).toBe('holds');
        expect(record.audit).toMatchObject({ status: 'passed', mismatches: 0 });
        if (record.status !== 'ok') return;
        const { outstandingOnWire } = record.observed;
        expect(outstandingOnWire).toBe(hasWire ? setting.depth : null);
        const { client: speaker, total } = record.result;
        expect(speaker.name).toBe('native');
        expect(total.faults).toEqual({});
        const canDecline = description.parameters.some(({ type }) => type === 'int64');
        if (setting.amounts !== 'that run out' || !canDecline) return;
        const declined = Object.values(total.declined).reduce<number>((sum, count) => sum + (count ?? 0), 0);
        expect(declined).toBeGreaterThan(0);
      },
    );
  });
}

function commandOf(client: NativeClient | undefined, skip: TestContext['skip']): string {
  if (client === undefined) throw new Error('the native load client was not prepared');
  return client.available ? client.command : skip(`${client.reason}; ${client.remedy}`);
}
