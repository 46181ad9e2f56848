import { type RunPlan, describeLoops, loopOf, runPlanSchema } from '@fair-bench/results';
import { defaultParameters } from '@fair-bench/workload';
import { describe, expect, test } from 'vitest';
import { parseRunOptions, runDefaults } from '../src/options/run-options.ts';
import { buildPlan } from '../src/plan/build-plan.ts';
import { chosenTargets } from '../src/targets/known-targets.ts';
import { catalog, noFlags, workload } from './support/this-workspace.ts';

function plan(texts: Record<string, unknown> = {}, command: readonly string[] = ['fair-bench']): RunPlan {
  const options = parseRunOptions({ ...runDefaults, ...noFlags, ...texts });
  const targets = chosenTargets(catalog, options);
  return buildPlan({ id: 'a-run', command, options, targets, workload });
}

describe('the default plan', () => {
  test('has every database found that is compared by default, and no calibration target', () => {
    const targets = plan().targets.map(({ target }) => target);
    const databases = catalog.connectors.filter(({ manifest }) => !manifest.calibration);
    const byDefault = databases.filter(({ manifest }) => manifest.byDefault);
    expect(targets).toEqual(byDefault.map(({ name }) => name));
    expect(byDefault.length).toBeLessThan(databases.length);
    expect(targets).not.toContain('null-http');
    expect(targets.length).toBeGreaterThan(1);
  });

  test('asks one question: every target in the first combination, with complete parameters', () => {
    const { targets, cells, rounds, timing } = plan();
    expect(cells).toHaveLength(targets.length);
    expect(rounds).toHaveLength(5);
    expect(timing).toMatchObject({ warmupMs: 1000, windowMs: 700 });
    const cell = cells.find(({ id }) => id === 'postgres-drizzle-a0.5-d1-s50');
    expect(cell).toMatchObject({
      target: 'postgres-drizzle',
      axes: ['alpha'],
      depth: 1,
      sessions: 50,
      threads: 1,
    });
    expect(cell?.parameters).toEqual({
      ...defaultParameters(workload.description),
      accounts: 100_000,
      alpha: 0.5,
      seed: '42',
      scramble: true,
    });
  });

  test('names the command for other combinations', () => {
    const said = 'One combination was planned. For more: npm run fair-bench -- --alpha 0.5,1.5 --depth 1,8';
    expect(plan().notes).toContain(said);
    expect(plan({ depth: '1,8', param: ['alpha=0.5,1.5'] }).notes ?? []).not.toContain(said);
  });

  test('leaves out further routes that the budget cannot hold in four rounds, and names the command', () => {
    const { targets, notes } = plan({ budget: '2m' });
    const left = targets.filter(({ leftOut }) => leftOut !== undefined);
    expect(left.length).toBeGreaterThan(0);
    expect(targets.length - left.length).toBeGreaterThanOrEqual(2);
    for (const { leftOut } of left) expect(leftOut?.remedy).toMatch(/^npm run fair-bench -- --budget \d+s$/);
    expect(notes?.join()).toContain(left.map(({ target }) => target).join(', '));
    const named = plan({ budget: '2m', systems: 'postgres,mariadb,sqlite' });
    expect(named.targets.every(({ leftOut }) => leftOut === undefined)).toBe(true);
  });

  test('has twice the default budget for the first trial of each cell, and no more than a budget that is stated', () => {
    expect(plan().allocation).toEqual({ budgetMs: 300_000, firstRoundMs: 600_000 });
    expect(plan({ quick: true, systems: 'sqlite-drizzle' }).allocation).toEqual({ budgetMs: 80_000 });
    expect(plan({ budget: '4m' }).allocation).toEqual({ budgetMs: 240_000 });
  });

  test('is frozen to its leaves and fits its schema', () => {
    const made = plan();
    expect(runPlanSchema.parse(made)).toEqual(made);
    for (const value of everyObject(made)) expect(Object.isFrozen(value)).toBe(true);
  });
});

describe('a quick look', () => {
  const namesOf = ({ targets }: RunPlan): string[] => targets.map(({ target }) => target);

  test('at systems as a whole has fewer of their routes where not all fit, and names the others', () => {
    const systems = ['postgres', 'sqlite', 'mariadb'];
    const made = plan({ quick: true, depth: '8', deployments: '1', systems: systems.join(',') });
    expect(new Set(made.targets.map(({ system }) => system))).toEqual(new Set(systems));
    const all = namesOf(plan({ systems: systems.join(',') }));
    const left = all.filter((name) => !namesOf(made).includes(name));
    expect(left.length).toBeGreaterThan(0);
    expect(made.notes?.join(' ')).toContain(`Left out of the quick look: ${left.join(', ')}.`);
  });

  test('has every target that is named itself', () => {
    const named = 'postgres-driver,postgres-storedproc,sqlite-drizzle';
    const made = plan({ quick: true, depth: '8', deployments: '1', systems: named });
    expect(namesOf(made).toSorted()).toEqual(named.split(','));
    expect(made.notes?.join(' ')).not.toContain('Left out');
  });
});

describe('the order of trials', () => {
  test('is the same for the same seed and another for another', () => {
    expect(plan({ seed: '7' })).toEqual(plan({ seed: '7' }));
    expect(plan({ seed: '7' }).rounds).not.toEqual(plan({ seed: '8' }).rounds);
  });

  test('shuffles the combinations in each round, and each round has every cell once', () => {
    const { cells, rounds } = plan({ trials: '5', param: ['alpha=0.5,1.5'], depth: '1,8' });
    const ids = cells.map(({ id }) => id).toSorted();
    for (const round of rounds) expect(round.toSorted()).toEqual(ids);
    expect(new Set(rounds.map((round) => round.join())).size).toBe(rounds.length);
  });

  test('lays the targets of one combination next to each other, forwards and backwards in turn', () => {
    const { blocks = [], rounds, targets } = plan({ trials: '4', param: ['alpha=0.5,1.5'], depth: '1,8' });
    expect(blocks).toHaveLength(4);
    for (const block of blocks) {
      expect(block).toHaveLength(targets.length);
      const orders = rounds.map((ids) => ids.slice(...spanOf(ids, block)));
      for (const [round, order] of orders.entries()) {
        expect(order.toSorted()).toEqual(block.toSorted());
        expect(order).toEqual(round % 2 === 0 ? orders[0] : orders[0]?.toReversed());
      }
    }
  });

  test('is designed for the neighbours of each combination', () => {
    const { contrasts = [], blocks = [] } = plan({ systems: 'postgres,sqlite-drizzle', depth: '8' });
    expect(contrasts).toEqual(
      blocks.flatMap((block) =>
        block.slice(1).map((contender, index) => ({ baseline: block[index], contender })),
      ),
    );
  });

  test('is the published one, so that another program can reproduce it', () => {
    const texts = {
      systems: 'sqlite-drizzle',
      param: ['alpha=0,1'],
      depth: '1,2',
      sessions: '3',
      trials: '2',
      seed: '1',
    };
    const order = (round: readonly string[] | undefined): string[] | undefined =>
      round?.map((id) => id.replace('sqlite-drizzle-', '').replace('-s3', ''));
    const { rounds } = plan(texts);
    expect(order(rounds[0])).toEqual(['a0-d1', 'a1-d1', 'a1-d2', 'a0-d2']);
    expect(order(rounds[1])).toEqual(['a0-d2', 'a1-d2', 'a1-d1', 'a0-d1']);
  });
});

describe('--systems', () => {
  test('takes targets and systems, in their order, each once', () => {
    const targets = (systems: string): string[] => plan({ systems }).targets.map(({ target }) => target);
    expect(targets('sqlite-drizzle,postgres-driver')).toEqual(['sqlite-drizzle', 'postgres-driver']);
    expect(targets('postgres-driver,postgres')).toEqual([
      'postgres-driver',
      'postgres-drizzle',
      'postgres-storedproc',
    ]);
    expect(targets('null')).toEqual(['null-embedded', 'null-http']);
  });
});

describe('what the plan stores of the user’s input', () => {
  test('has the settings of each target and no password', () => {
    const url = 'postgres=postgres://me:hush@db.example:5432/bank?sslpassword=hush2';
    const command = ['fair-bench', '--url', url, `--url=${url}`, '--seed=1'];
    const made = plan(
      { systems: 'postgres-driver,null-http', url: [url], set: ['null-http.delayMs=5'] },
      command,
    );
    expect(JSON.stringify(made)).not.toContain('hush');
    expect(made.targets.map((target) => target.url)).toEqual([
      'postgres://me:***@db.example:5432/bank?sslpassword=***',
      null,
    ]);
    expect(made.targets.map(({ extra }) => extra)).toEqual([{}, { delayMs: '5' }]);
    expect(made.command.at(-1)).toBe('--seed=1');
  });

  test('has the loop: closed, or open at a rate', () => {
    expect(plan().loop).toEqual({ kind: 'closed' });
    expect(plan({ rate: '1500.5' }).loop).toEqual({ kind: 'open', ratePerSecond: 1500.5 });
    expect(plan({ rate: '1500.5' }).cells.every((cell) => cell.ratePerSecond === undefined)).toBe(true);
  });

  test('has a cell for each of several rates, named by it and paced at it', () => {
    const rated = plan({ rate: '1000:4000:x2', param: ['alpha=0'], depth: '1', systems: 'sqlite-drizzle' });
    expect(rated.cells.map(({ id }) => id.replace(/.*-s50/, ''))).toEqual([
      '-rate1000',
      '-rate2000',
      '-rate4000',
    ]);
    expect(rated.cells.map((cell) => loopOf(rated, cell))).toEqual(
      [1000, 2000, 4000].map((ratePerSecond) => ({ kind: 'open', ratePerSecond })),
    );
    expect(describeLoops(rated, rated.cells)).toBe('open, 1000, 2000, 4000 operations per second');
  });
});

/** From the first cell of the block to behind its last. */
function spanOf(ids: readonly string[], block: readonly string[]): [number, number] {
  const places = block.map((id) => ids.indexOf(id));
  return [Math.min(...places), Math.max(...places) + 1];
}

function everyObject(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(everyObject)];
}
