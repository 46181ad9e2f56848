import { type Check, holds, voids } from '../evidence.ts';

/** The database's state must be exactly what the acknowledged operations imply. */
export const checkState: Check = ({ state }) => {
  if (state.status === 'passed') return holds;
  const examples = state.examples.slice(0, 3).join('; ');
  return voids(
    'state',
    `${state.reason}${examples === '' ? '' : ` (${examples})`}`,
    'the target acknowledged work that it did not do, or did work that it did not acknowledge',
  );
};
