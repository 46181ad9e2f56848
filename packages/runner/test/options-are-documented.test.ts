import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import { expect, test } from 'vitest';
import { commandTexts } from '../src/options/commands.ts';
import { type DescribedOption, describedOptions } from '../src/options/option-texts.ts';
import { defaultWorkload, type LoadedWorkload, loadWorkload } from '../src/discover/workload.ts';
import { axisSettings } from '../src/plan/parameters.ts';
import { type AxisSetting, type Setting, settingsOf } from '@fair-bench/results';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const remedy =
  'docs/options.md is not what the table of options says: npm run test:only -- packages/runner/test/options-are-documented.test.ts -u';

test('docs/options.md is up to date', async () => {
  const text = await format(await page(), { parser: 'markdown' });
  await expect(text, remedy).toMatchFileSnapshot(`${root}/docs/options.md`);
}, 120_000);

async function page(): Promise<string> {
  const [head = '', foot = ''] = await Promise.all(
    ['head', 'foot'].map((part) =>
      readFile(new URL(`./support/options-page-${part}.md`, import.meta.url), 'utf8'),
    ),
  );
  const names = (await readdir(`${root}/workloads`, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
    .map(({ name }) => name);
  // Each in a process of its own, whose time is limited: all at once take longer on a busy machine.
  const workloads: LoadedWorkload[] = [];
  for (const name of names.toSorted()) workloads.push(await loadWorkload(root, name));
  const parts = [
    head,
    '## Settings of a target',
    settingsTable(axisSettings(await loadWorkload(root, defaultWorkload))),
    ...sections(),
    ...workloads.map(parametersTable),
    '## Commands',
    commandsTable(),
    foot,
  ];
  return parts.join('\n\n');
}

/** One section for the options that the same commands take. */
function sections(): readonly string[] {
  const takers = new Map<unknown, string[]>();
  for (const { name, options } of commandTexts) {
    for (const schema of Object.values(options)) takers.set(schema, [...(takers.get(schema) ?? []), name]);
  }
  const rows = new Map<string, Set<string>>();
  for (const { options } of commandTexts) {
    for (const option of describedOptions(options)) {
      const names = takers.get(options[option.key]) ?? [];
      const title = `## Options of ${names.map((name) => `\`${name}\``).join(', ')}`;
      rows.set(title, (rows.get(title) ?? new Set()).add(rowOf(option)));
    }
  }
  return [...rows].map(([title, lines]) =>
    [title, '', ...tableHead('option', 'meaning', 'default'), ...lines].join('\n'),
  );
}

function rowOf({ flag, argument, meaning, defaultText }: DescribedOption): string {
  return row(`\`${flag}${argument === null ? '' : ` <${argument}>`}\``, meaning, defaultText ?? '');
}

/** A workload's parameters, each an option by its name; an axis takes several values. */
function parametersTable({ name, description }: LoadedWorkload): string {
  const rows = description.parameters.map((parameter) => {
    const axis = description.axes.find((one) => one.parameter === parameter.name);
    const isFlag = parameter.default === true;
    const flag = isFlag ? `\`--no-${parameter.option}\`` : `\`--${parameter.option}\``;
    const values = String(axis?.sweep[0] ?? parameter.default);
    return row(flag, parameter.about, values, axis === undefined ? '' : 'yes');
  });
  const head = tableHead('option', 'meaning', 'default', 'axis');
  return [`## Parameters of the workload \`${name}\``, '', ...head, ...rows].join('\n');
}

/** Of the contract's settings; a connector's own are in its manifest. */
function settingsTable(axes: readonly AxisSetting[]): string {
  const rows = settingsOf([], axes).map((setting) => {
    const { key, name, accepts, of, defaultValue } = setting;
    const where = of.kind !== 'target' ? 'ends of `explain`, claims' : 'everywhere';
    return row(`\`${key}\``, name, accepts, defaultValue ?? 'as the run', presetsOf(setting), where);
  });
  return [...tableHead('key', 'in reports', 'values', 'default', 'presets', 'taken by'), ...rows].join('\n');
}

function presetsOf({ accepts, of, defaultValue, parse }: Setting): string {
  if (of.kind !== 'target' || !of.isPreset) return '';
  const words = accepts.split(' or ').filter((word) => parse(word) !== null && word !== defaultValue);
  const examples = words.length > 0 ? words : [parse('4') === null ? 'NAME' : '4'];
  return examples.map((value) => `\`@${of.word(value)}\``).join(', ');
}

function commandsTable(): string {
  const rows = commandTexts.map(({ name, meaning, arguments: words }) => {
    const given = words.length === 0 ? '' : ` -- ${words.map((word) => `<${word.name}>`).join(' ')}`;
    return row(`\`npm run ${name}${given}\``, meaning);
  });
  return [...tableHead('command', 'meaning'), ...rows].join('\n');
}

function tableHead(...titles: readonly string[]): string[] {
  return [row(...titles), row(...titles.map(() => '---'))];
}

function row(...cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
