import { fileURLToPath } from 'node:url';
import { prepareNativeClient } from '../../src/index.ts';

export const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** The first build takes minutes on a busy machine, later ones almost no time. */
export const buildMsMax = 20 * 60_000;

const prepared = await prepareNativeClient({
  root,
  signal: AbortSignal.timeout(buildMsMax),
  onProgress: (line) => process.stderr.write(`  ${line}\n`),
});

/** The program, built once; null where it cannot be built. */
export const command = prepared.available ? prepared.command : null;

/** Of what is skipped without it. */
export const needsNative = {
  meta: prepared.available ? {} : { whySkipped: `${prepared.reason}; ${prepared.remedy}` },
};
