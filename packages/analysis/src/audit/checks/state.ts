import { type Check, pass, fail } from '../evidence.ts';

/** The database's state must be exactly what the acknowledged operations imply. */
export const checkState: Check = ({ state }) => {
  if (state.status === 'passed') return pass;
  const examples = state.examples.slice(0, 3).join('; ');
  return fail(
    'state',
    `${state.reason}${examples === '' ? '' : ` (${examples})`}`,
    'the target acknowledged work that it did not do, or did work that it did not acknowledge',
  );
};
