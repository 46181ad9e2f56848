import { type Check, fail, pass } from '../evidence.ts';

/** What the workload states must hold in the tables after a trial, whatever the operations were. */
export const checkConditions: Check = ({ state: { conditions = [] } }) => {
  const broken = conditions.filter(({ fact }) => fact !== null);
  const [first] = broken;
  if (first === undefined) return pass;
  return fail(
    'conditions',
    `${broken.length} of ${conditions.length} conditions of the workload do not hold: ${first.name} (${first.fact})`,
    'the target left tables that no order of the operations leaves, or the condition is wrong',
  );
};
