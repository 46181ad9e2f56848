import { mistaken } from './mistaken.ts';

export default mistaken((session) => session);
