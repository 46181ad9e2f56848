import { afterAll, beforeAll, describe } from 'vitest';
import type { Route, TargetOptions } from '@fair-bench/contract';
import { testDataset } from './suite/dataset.ts';
import { testEvidence } from './suite/evidence.ts';
import { Fixture } from './suite/fixture.ts';
import { testAvailability, testEnd, testTrial } from './suite/life.ts';
import { testOutcomes } from './suite/outcomes.ts';
import { testSessions } from './suite/sessions.ts';

/**
 * Registers the tests that every route of a connector passes, against its real system, which is started as the runner
 * starts it. A target that cannot be had here has its tests skipped, with the reason.
 *
 * @param route one of the connector's: `routeOf(connector, 'drizzle')`.
 * @param clientModulePath the module that the Node load client imports, as in the manifest.
 * @param options what the target is told; small and durable unless said otherwise.
 */
export function describeConnector(
  route: Route,
  clientModulePath: string,
  options: Partial<TargetOptions> = {},
): void {
  describe(`${route.name} conforms`, () => {
    const fixture = new Fixture(route, clientModulePath, options);
    beforeAll(() => fixture.start());
    afterAll(() => fixture.close());

    testAvailability(fixture);
    testOutcomes(fixture);
    testDataset(fixture);
    testSessions(fixture);
    testEvidence(fixture);
    testTrial(fixture);
    testEnd(fixture);
  });
}
