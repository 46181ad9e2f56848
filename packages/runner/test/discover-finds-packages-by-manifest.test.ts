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

const driver = {
  clients: { node: './src/client.ts' },
  factors: { hop: 'none', dataAccess: 'stored-procedure' },
};
const manifest = {
  kind: 'connector',
  contract: 2,
  system: 'new-system',
  routes: { driver },
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

const connectorModule = (system: string, ...routes: readonly string[]): string => `
  const route = { probe: async () => ({ available: true, provider: 'url', version: '1' }), provision: async () => { throw new Error('no'); } };
  export default { system: '${system}', fairProfile: [], routes: { ${routes.map((name) => `'${name}': route`).join(', ')} } };`;

describe('discovery', () => {
  test('finds and loads a connector that was copied into the workspace', async () => {
    drop('plain', { name: 'plain' });
    drop('whatever', packageOf(manifest), connectorModule('new-system', 'driver'));
    const { connectors } = await discover(root);
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
      'a route whose name is no name',
      { ...manifest, routes: { 'Tele Pathy': driver } },
      /packages\/broken\/package\.json: fairBench: routes/,
    ],
    [
      'a connector without routes',
      { ...manifest, routes: {} },
      /package\.json: fairBench: routes: .*at least one/,
    ],
    ['another contract', { ...manifest, contract: 1 }, /package\.json: fairBench: contract/],
    ['a field too many', { ...manifest, speed: 'fast' }, /package\.json: fairBench: .*speed/],
    ['an unknown kind', { kind: 'toaster' }, /package\.json: fairBench: kind/],
  ])('refuses %s and names the file', async (_what, broken, said) => {
    drop('broken', packageOf(broken));
    await expect(discover(root)).rejects.toThrow(said);
  });

  test('finds every route, with the settings of its system and its own', async () => {
    const routes = {
      driver: { ...driver, factors: { ...driver.factors, durability: ['durable', 'async'] } },
      telepathy: { ...driver, factors: { hop: 'none', dataAccess: 'engine' } },
    };
    drop(
      'whatever',
      packageOf({ ...manifest, factors: { profile: ['default', 'tuned'], durability: ['durable'] }, routes }),
    );
    const { connectors } = await discover(root);
    expect(connectors.map(({ name, manifest: { factors } }) => [name, factors])).toMatchObject([
      [
        'new-system-driver',
        {
          dataAccess: 'stored-procedure',
          profile: ['default', 'tuned'],
          durability: ['durable', 'async'],
          processes: false,
        },
      ],
      [
        'new-system-telepathy',
        { dataAccess: 'engine', profile: ['default', 'tuned'], durability: ['durable'] },
      ],
    ]);
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
      'export default { system: "new-system" };',
      /is not a connector: export default defineConnector/,
    ],
    [
      'of another system',
      connectorModule('other', 'driver'),
      /is of "other" with the routes driver; .* announces "new-system-driver"/,
    ],
    [
      'without the route',
      connectorModule('new-system', 'sdk'),
      /is of "new-system" with the routes sdk; .* announces "new-system-driver"/,
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
