import { mistaken } from './mistaken.ts';

/** The script's code of a decline, in place of its reason. */
export default mistaken((session) => ({
  async execute(operation, values) {
    const outcome = await session.execute(operation, values);
    return outcome.kind === 'declined' ? { ...outcome, reason: '1' } : outcome;
  },
  close: () => session.close(),
}));
