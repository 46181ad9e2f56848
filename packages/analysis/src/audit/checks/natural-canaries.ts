import { type Check, fail, pass } from '../evidence.ts';

/**
 * An operation of the load must be visible to another connection when it is acknowledged. Nothing marks those that are
 * looked for: a liar that is honest about canaries with keys of their own does not know them.
 */
export const checkNaturalCanaries: Check = ({ observed: { natural } }) => {
  if (natural === undefined || natural === null || natural.visible === natural.judged) return pass;
  const { judged, visible, problems } = natural;
  return fail(
    'acknowledged-undone',
    `${judged - visible} of ${judged} operations of the load were acknowledged, and another connection did not find their effect: ${problems.join('; ')}`,
    'the session, its server or a proxy acknowledges before the work is done',
  );
};
