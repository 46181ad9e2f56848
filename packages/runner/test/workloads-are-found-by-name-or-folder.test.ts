import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { loadWorkload } from '../src/discover/workload.ts';
import { parseRunOptions, runDefaults } from '../src/options/run-options.ts';
import { pointsOf } from '../src/plan/parameters.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'fair-bench-workload-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function refusal(source: string, timeoutMs?: number): Promise<string> {
  writeFileSync(join(folder, 'workload.ts'), source);
  return await loadWorkload(root, folder, timeoutMs).then(
    () => 'none',
    (error: unknown) => String(error),
  );
}

describe('a workload', () => {
  test('is found by its name in workloads/', async () => {
    const { name, description } = await loadWorkload(root, 'transfer');
    expect(name).toBe('transfer');
    expect(description.operations.map((operation) => operation.name)).toEqual(['transfer']);
  });

  test('is found in a folder outside the repository, which needs no packages of its own', async () => {
    writeFileSync(
      join(folder, 'workload.ts'),
      `import { defineWorkload, table, int64, key, uniform, row, add } from '@fair-bench/workload';
       console.log('printed');
       export default defineWorkload({
         name: 'mine',
         tables: { thing: table({ rows: 5, key: 'id', columns: { count: int64(0) } }) },
         operations: { touch: {
           arguments: { id: key('thing', uniform()) }, rows: { it: row('thing', 'id') }, effects: [add('it.count', 1)],
         } },
       });`,
    );
    expect(await loadWorkload(root, folder)).toMatchObject({ name: 'mine', folder });
  });

  test('that does not exist is refused with those that do', async () => {
    await expect(loadWorkload(root, 'teleport')).rejects.toThrow(
      /--workload: got "teleport"; accepts .*counter.*transfer.*, or a folder with a workload.ts/,
    );
  });

  test('whose file is wrong is refused with the file and the mistake', async () => {
    const path = join(folder, 'workload.ts');
    expect(await refusal('export default 1;')).toContain(`${path}: its default export is not a description`);
    expect(await refusal('throw new Error("thrown by the file");')).toContain(`${path}: line 1:7: thrown by`);
    expect(await refusal('export default { version: 1, name: "Bad" };')).toContain(`${path}: name: `);
    expect(await refusal('process.exit(3);')).toContain(`${path}: ended without a description`);
  });

  test('whose file never ends is refused after a bounded time', async () => {
    expect(await refusal('for (;;) {}', 500)).toContain('not evaluated within 0.5 s');
  });
});

describe('a parameter of the workload', () => {
  const parametersOf = async (...param: string[]) => {
    const points = pointsOf(
      await loadWorkload(root, 'transfer'),
      parseRunOptions({ ...runDefaults, strict: false, param }),
    );
    return points.map(({ parameters }) => parameters);
  };

  test('has the type that it is declared with', async () => {
    const [first] = await parametersOf('amountMax=7', 'initial-balance=12', 'scramble=false');
    expect(first).toMatchObject({ amountMax: 7, initialBalance: '12', scramble: false });
  });

  test('that is an axis takes several values, each a point', async () => {
    const points = await parametersOf('alpha=0:1:0.5');
    expect(points.map(({ alpha }) => alpha)).toEqual([0, 0.5, 1]);
  });

  test.each([
    ['speed=1', /unknown option '--speed'.* workload transfer .*--accounts, .*--amount-max/],
    ['amountMax=many', /--amount-max: got "many"; accepts a whole number from 1/],
    ['accounts=1', /--accounts: got "1"; accepts a whole number from 2/],
    ['accounts=10,20', /--accounts: got "10,20"; accepts a whole number from 2/],
  ])('%s is refused with what is accepted', async (param, reason) => {
    await expect(parametersOf(param)).rejects.toThrow(reason);
  });
});
