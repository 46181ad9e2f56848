import { mistaken } from './mistaken.ts';

export default mistaken((session) => ({
  async execute(operation, values) {
    await session.execute(operation, values);
    return await session.execute(operation, values);
  },
  close: () => session.close(),
}));
