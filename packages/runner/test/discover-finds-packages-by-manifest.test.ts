import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { discover } from '../src/discover/workspace.ts';
import { loadConnector } from '../src/discover/load.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fair-bench-workspace-'));
  mkdirSync(join(root, 'packages'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const manifest = {
  kind: 'connector',
  contract: 1,
  system: 'new-system',
  route: 'driver',
  workloads: ['transfer'],
  clients: { node: './src/client.ts' },
  factors: { hop: 'none', dataAccess: 'stored-procedure' },
};

function drop(folder: string, contents: unknown, module = 'export default {};'): void {
  const directory = join(root, 'packages', folder);
  mkdirSync(join(directory, 'src'), { recursive: true });
  writeFileSync(
    join(directory, 'package.json'),
    typeof contents === 'string' ? contents : JSON.stringify(contents),
  );
  writeFileSync(join(directory, 'src', 'index.ts'), module);
}

function packageOf(fairBench: unknown): Record<string, unknown> {
  return { name: 'anything', type: 'module', exports: { '.': './src/index.ts' }, fairBench };
}

const connectorModule = (name: string): string =>
  `export default { name: '${name}', fairProfile: [], probe: async () => ({ available: true, provider: 'url', version: '1' }), provision: async () => { throw new Error('no'); } };`;

describe('discovery', () => {
  test('finds a connector that was dropped into the workspace, and loads it', async () => {
    drop('plain', { name: 'plain' });
    drop('whatever', packageOf(manifest), connectorModule('new-system-driver'));
    const { connectors, workloads } = await discover(root);
    expect(workloads).toEqual([]);
    expect(connectors).toHaveLength(1);
    const [found] = connectors;
    expect(found?.name).toBe('new-system-driver');
    expect(found?.nodeClientPath).toBe(join(root, 'packages', 'whatever', 'src', 'client.ts'));
    if (found === undefined) return;
    const connector = await loadConnector(found);
    expect(connector.name).toBe('new-system-driver');
  });

  test.each([
    [
      'a route that there is not',
      { ...manifest, route: 'telepathy' },
      /packages\/broken\/package\.json: fairBench: route/,
    ],
    ['another contract', { ...manifest, contract: 2 }, /package\.json: fairBench: contract/],
    ['a field too many', { ...manifest, speed: 'fast' }, /package\.json: fairBench: .*speed/],
    ['an unknown kind', { kind: 'toaster' }, /package\.json: fairBench: kind/],
  ])('refuses %s and names the file', async (_what, broken, said) => {
    drop('broken', packageOf(broken));
    await expect(discover(root)).rejects.toThrow(said);
  });

  test('refuses a package.json that is not JSON and names the file', async () => {
    drop('broken', '{ "name": ');
    await expect(discover(root)).rejects.toThrow(/packages\/broken\/package\.json: not JSON/);
  });

  test('refuses two packages for one target and names both', async () => {
    drop('one', packageOf(manifest));
    drop('two', packageOf(manifest));
    await expect(discover(root)).rejects.toThrow(
      /(one|two)\/package\.json: "new-system-driver" .*(one|two)\/package\.json too/,
    );
  });

  test.each([
    [
      'that exports something else',
      'export default { name: "new-system-driver" };',
      /is no connector: export default defineConnector/,
    ],
    [
      'that calls itself otherwise',
      connectorModule('other-driver'),
      /calls itself "other-driver"; .* announces "new-system-driver"/,
    ],
    ['that does not load', 'throw new Error("half written");', /cannot import .*: half written/],
  ])('refuses a connector %s', async (_what, module, said) => {
    drop('wrong', packageOf(manifest), module);
    const [found] = (await discover(root)).connectors;
    expect(found).toBeDefined();
    if (found === undefined) return;
    await expect(loadConnector(found)).rejects.toThrow(said);
  });
});
