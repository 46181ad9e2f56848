import { acknowledgesEarly } from './acknowledges-early.ts';
import { defineLiar } from './lying-client.ts';

/** Acknowledges up to 16 operations of a session before they are done: a count of all done operations hardly shows it. */
export default defineLiar({
  tell: (inner, _workload, _url, lied) => acknowledgesEarly(inner, 16, lied),
});
