import { isDeepStrictEqual } from 'node:util';
import { type Check, pass, fail } from '../evidence.ts';

/** Nothing that a comparison rests on may change while it is measured. */
export const checkStableFacts: Check = ({ factsBefore, factsAfter }) => {
  if (isDeepStrictEqual(factsBefore, factsAfter)) return pass;
  const names = new Set([...Object.keys(factsBefore.settings), ...Object.keys(factsAfter.settings)]);
  const changes = [...names]
    .filter((name) => factsBefore.settings[name] !== factsAfter.settings[name])
    .map(
      (name) =>
        `${name}: ${factsBefore.settings[name] ?? 'absent'} → ${factsAfter.settings[name] ?? 'absent'}`,
    );
  if (factsBefore.durability !== factsAfter.durability) {
    changes.push(`durability: ${factsBefore.durability} → ${factsAfter.durability}`);
  }
  if (factsBefore.isolation !== factsAfter.isolation) {
    changes.push(`isolation: ${factsBefore.isolation} → ${factsAfter.isolation}`);
  }
  return fail(
    'facts-changed',
    `the target's settings or facts changed during the trial${changes.length > 0 ? `: ${changes.join('; ')}` : ''}`,
    'do not reconfigure the target during a run',
  );
};
