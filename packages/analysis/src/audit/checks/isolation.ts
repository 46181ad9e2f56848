import { anomalySchema, forbiddenAt } from '@fair-bench/contract';
import { anomaliesInWords, levelInWords } from '@fair-bench/results';
import { type Check, pass, fail } from '../evidence.ts';

/** No trial may show what the level in force forbids: its transactions were not as isolated as they say. */
export const checkIsolation: Check = ({ state: { isolation }, factsAfter: { isolation: level } }) => {
  if (isolation === undefined) return pass;
  const { anomalies, operations, examples } = isolation;
  const seen = anomalySchema.options.filter(
    (anomaly) => forbiddenAt[level].includes(anomaly) && anomalies[anomaly] > 0,
  );
  const [worst] = seen;
  if (worst === undefined) return pass;
  const shown = examples
    .filter((example) => seen.some((anomaly) => example.startsWith(`${anomaly}:`)))
    .slice(0, 2);
  return fail(
    'isolation',
    `${levelInWords(level)} forbids what ${operations} operations showed: ${anomaliesInWords(anomalies, seen)} (${shown.join('; ')})`,
    'carry every operation out in one transaction at the level that the target states, and read nothing outside of it',
  );
};
