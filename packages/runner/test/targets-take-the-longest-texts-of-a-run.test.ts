import { expect, test } from 'vitest';
import { loadWorkload } from '../src/discover/workload.ts';
import { parseRunOptions, runDefaults } from '../src/options/run-options.ts';
import { buildPlan } from '../src/plan/build-plan.ts';
import { targetOptions } from '../src/plan/target-options.ts';
import { chosenTargets } from '../src/targets/known-targets.ts';
import { catalog, noFlags, root } from './support/this-workspace.ts';

const objects = await loadWorkload(root, 'objects');

/** The lengths of payloads in tables and arguments, as a target is started for a run with these sizes. */
function lengthsFor(payloadSize: string | null): readonly number[] {
  const texts = { ...runDefaults, ...noFlags, systems: 'postgres-driver' };
  const param = payloadSize === null ? [] : [`payloadSize=${payloadSize}`];
  const options = parseRunOptions({ ...texts, param });
  const targets = chosenTargets(catalog, options);
  const plan = buildPlan({ id: 'a-run', command: [], options, targets, workload: objects });
  const [target] = plan.targets;
  if (target === undefined) throw new Error('the plan has a target');
  const { workload } = targetOptions({ plan, workload: objects, urls: {} }, target);
  const columns = workload?.shape.tables.flatMap((table) => table.columns) ?? [];
  const given = workload?.shape.operations.flatMap((operation) => operation.arguments) ?? [];
  return [...columns, ...given].flatMap((each) =>
    each.name === 'payload' && 'type' in each && 'length' in each.type ? [each.type.length] : [],
  );
}

test.each([
  ['of one size', '1200', 1200],
  ['of several, whichever is first', '1200,23,7', 1200],
  ['of several, whichever is last', '7,23,1200', 1200],
  // The rehearsal before a run has the defaults.
  ['and of the rehearsal', '23', 100],
  ['of the default', null, 100],
])('a target has room for the longest payload %s', (_, payloadSize, longest) => {
  expect(lengthsFor(payloadSize)).toEqual([longest, longest, longest]);
});
