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

/** The program, built once; null where it cannot be built, with the reason printed. */
export const command = prepared.available ? prepared.command : null;
if (!prepared.available) process.stderr.write(`skipped: ${prepared.reason}; ${prepared.remedy}\n`);
