import { mistaken } from './mistaken.ts';

export default mistaken((session) => ({
  execute: () => Promise.reject(new Error('parameter 3 has no type')),
  close: () => session.close(),
}));
