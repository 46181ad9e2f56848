import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { commandTexts } from '../src/options/commands.ts';
import { parseCommandLine } from '../src/options/command-line.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .filter((page) => !page.includes('/test/') && !page.startsWith('.github/') && existsSync(join(root, page)));
const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));

test.each(pages)('every link of %s leads to a file, and to a heading of it', async (page) => {
  const text = await readFile(join(root, page), 'utf8');
  const links = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)];
  const dead: string[] = [];
  for (const [, markdown = '', html = ''] of links) {
    const link = markdown === '' ? html : markdown;
    if (/^[a-z]+:/.test(link)) continue;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? join(root, page) : join(root, dirname(page), path);
    if (!existsSync(target)) dead.push(link);
    else if (anchor !== undefined && target.endsWith('.md') && !(await anchorsOf(target)).includes(anchor)) {
      dead.push(`${link}: ${relative(root, target)} has no such heading`);
    }
  }
  expect(dead).toEqual([]);
});

test.each(pages)('the command line accepts every command in %s', async (page) => {
  const text = await readFile(join(root, page), 'utf8');
  const mistakes = commandsOf(text).flatMap((command) => {
    const mistake = mistakeIn(command);
    return mistake === null ? [] : [`${command}: ${mistake}`];
  });
  expect(mistakes).toEqual([]);
});

test('a command that does not exist, and an option that a command does not take, are mistakes', () => {
  expect(mistakeIn('npm run fair-bnech')).toBe('package.json has no such script');
  expect(mistakeIn('npm run report -- RUN --htlm')).toMatch(/unknown option '--htlm'/);
  expect(mistakeIn('npm run fair-bench -- --trials many')).toMatch(/--trials/);
  expect(mistakeIn('npm run explain -- --claim pr-4432 --budget 6m')).toBeNull();
});

test('the README has at most 120 lines, and its example is the one that new-workload writes', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(120);
  const [, example = ''] = /```ts\n([^]*?)```/.exec(readme) ?? [];
  const template = await readFile(
    new URL('../src/new-workload/templates/workload.ts.template', import.meta.url),
    'utf8',
  );
  expect(template.replaceAll(/\s+/g, ' ')).toContain(example.trim().replaceAll(/\s+/g, ' '));
});

describe('FAIR-BENCHMARK.md', async () => {
  const text = await readFile(join(root, 'FAIR-BENCHMARK.md'), 'utf8');
  const rules = [...text.matchAll(/^### (F\d+)\. (.+)\n([^]*?)(?=^##|(?![^]))/gm)].map(
    ([, rule = '', sentence = '', parts = '']) => ({ rule, sentence, parts }),
  );

  test('has all rules', () => expect(rules.length).toBeGreaterThanOrEqual(40));

  test.each(rules)(
    '$rule has a sentence, a reason, the file that enforces it, and a way to break it',
    ({ sentence, parts }) => {
      expect(sentence).toMatch(/ .*[^.]$/);
      const labels = [...parts.matchAll(/^\*\*(Why|Enforced in|Break it)\b/gm)].map(([, label]) => label);
      expect(labels).toEqual(['Why', 'Enforced in', 'Break it']);
      const [, enforced = '', broken = ''] = /^\*\*Enforced in([^]*?)^\*\*Break it([^]*)/m.exec(parts) ?? [];
      const files = [...enforced.matchAll(/\]\(([^)#]+)\)/g)].map(([, path = '']) => path);
      expect(files.filter((path) => /\.m?[jt]s$/.test(path) && existsSync(join(root, path)))).not.toEqual([]);
      expect(commandsOf(broken)).not.toEqual([]);
    },
  );

  test.each(commandsOf(text).filter((command) => command.startsWith('npm run test:only')))(
    '%s runs a test that exists',
    async (command) => {
      const [, path = '', name = ''] = /-- (\S+)(?: -t '([^']+)')?$/.exec(command) ?? [];
      expect(await readFile(join(root, path), 'utf8')).toContain(name);
    },
  );
});

/** `npm run …` in code blocks and inline code, without its comment or result. */
function commandsOf(text: string): readonly string[] {
  const blocks = [...text.matchAll(/```sh\n([^]*?)```/g)].flatMap(([, block = '']) =>
    block.replaceAll(/\\\n\s*/g, ' ').split('\n'),
  );
  const inline = [...text.replaceAll(/```[^]*?```/g, '').matchAll(/`(npm run [^`]+)`/g)].map(
    ([, command = '']) => command,
  );
  return [...blocks, ...inline]
    .map((line) =>
      line
        .replace(/\s+#.*$/, '')
        .replace(/\s+(?:\||>|&&).*$/, '')
        .trim(),
    )
    .filter((line) => line.startsWith('npm run '));
}

function mistakeIn(command: string): string | null {
  // An optional part stands in square brackets of its own.
  const plain = command.replace(' --silent', '').replaceAll(/ \[(--[^\]]*)\]/g, ' $1');
  const words = [...plain.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  );
  const [script = '', separator, ...options] = words.slice(2);
  if (scripts[script] === undefined) return 'package.json has no such script';
  if (separator === undefined) return null;
  if (separator !== '--') return 'options stand after --';
  if (!commandTexts.some(({ name }) => name === script) || options.includes('…')) return null;
  try {
    parseCommandLine([script, ...options]);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** As GitHub makes them of headings. */
async function anchorsOf(path: string): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8');
  return [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
      .replaceAll(/\s/g, '-'),
  );
}

function withoutCode(text: string): string {
  return text.replaceAll(/```[^]*?```/g, '').replaceAll(/`[^`\n]*`/g, '');
}
