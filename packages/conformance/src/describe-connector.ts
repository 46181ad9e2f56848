import { afterAll, beforeAll, describe } from 'vitest';
import type { Route, TargetOptions } from '@fair-bench/contract';
import { testDataset } from './suite/dataset.ts';
import { testEvidence } from './suite/evidence.ts';
import { Fixture } from './suite/fixture.ts';
import type { WithKillableServer } from './kill-under-load.ts';
import { testAvailability, testEnd, testKill, testStart, testTrial } from './suite/life.ts';
import { testOutcomes } from './suite/outcomes.ts';
import { testSessions } from './suite/sessions.ts';

export interface ConformanceOptions extends Partial<TargetOptions> {
  /** For a system that the connector starts: a server that can be killed and started again on its data. */
  readonly killable?: WithKillableServer;
}

/**
 * Registers the tests that every route of a connector passes, against its real system, which is started as the runner
 * starts it. A target that cannot be had here has its tests skipped, with the reason.
 *
 * @param route one of the connector's: `routeOf(connector, 'drizzle')`.
 * @param clientModulePath the module that the Node load client imports, as in the manifest.
 * @param options what the target is set to, small and durable by default; and the server of the kill test.
 */
export function describeConnector(
  route: Route,
  clientModulePath: string,
  { killable, ...options }: ConformanceOptions = {},
): void {
  describe(`${route.name} conforms`, () => {
    const fixture = new Fixture(route, clientModulePath, options);
    beforeAll(() => fixture.start());
    afterAll(() => fixture.close());

    testAvailability(fixture);
    testStart(fixture);
    testOutcomes(fixture);
    testDataset(fixture);
    testSessions(fixture);
    testEvidence(fixture);
    testTrial(fixture);
    testKill(fixture, killable);
    testEnd(fixture);
  });
}
