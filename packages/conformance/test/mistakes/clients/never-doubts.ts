import { mistaken } from './mistaken.ts';

export default mistaken((session) => ({
  async execute(operation, values) {
    const outcome = await session.execute(operation, values);
    return outcome.kind === 'fault' ? { ...outcome, inDoubt: false } : outcome;
  },
  close: () => session.close(),
}));
