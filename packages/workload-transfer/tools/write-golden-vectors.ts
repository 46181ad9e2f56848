import { writeFile } from 'node:fs/promises';
import { buildGoldenVectors, goldenPath } from '../test/golden.ts';

/**
 * Writes test/fixtures/golden-vectors.json. Run it by hand, and only when the specification changes: then
 * every implementation has to follow. `node packages/workload-transfer/tools/write-golden-vectors.ts`
 */
await writeFile(goldenPath, `${JSON.stringify(buildGoldenVectors(), null, 1)}\n`);
