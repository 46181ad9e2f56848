import { mistaken } from './mistaken.ts';

export default mistaken((session) => {
  setInterval(() => undefined, 1_000);
  return session;
});
