import { mkdir, writeFile } from 'node:fs/promises';
import { buildVectors, vectorsFolder } from '../test/vectors.ts';

/**
 * Writes vectors/. Run it by hand, and only when the specification changes: every implementation must then follow.
 * `node packages/workload/tools/write-vectors.ts`, then `npm run format`.
 */
await mkdir(vectorsFolder, { recursive: true });
for (const [name, vectors] of Object.entries(buildVectors())) {
  await writeFile(new URL(name, vectorsFolder), `${JSON.stringify(vectors, null, 1)}\n`);
}
