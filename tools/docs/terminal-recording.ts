import { spawn } from 'node:child_process';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InputError } from '@fair-bench/contract';

const columns = 100;
const lineHeight = 18;
const charWidth = 7.83;
const padding = 16;
const liveFrames = 8;
const liveSeconds = 1.5;
const finalSeconds = 8;

/**
 * Runs a command in a pseudo terminal and writes its screens as an SVG: the live line at several moments, then the
 * end. Needs `script` of util-linux. Rejects with an InputError when the command fails.
 */
export async function recordTerminal(root: string, command: string, path: string): Promise<void> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'fair-bench-terminal-'));
  const log = join(folder.path, 'timing');
  const out = join(folder.path, 'output');
  const words = `export NO_COLOR=1 TERM=xterm; stty cols ${columns} rows 45; ${command.replace('npm run', 'npm run --silent')}`;
  const child = spawn('script', ['-qec', words, '-T', log, '-O', out, '-m', 'classic'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const code = await new Promise((resolve, reject) => {
    child.once('exit', resolve);
    child.once('error', reject);
  });
  if (code !== 0) throw new InputError(`docs:refresh: ${command} ended with ${String(code)}`);
  const output = await readFile(out);
  const chunks = chunksOf(output.subarray(output.indexOf('\n') + 1), await readFile(log, 'utf8'));
  await writeFile(path, svgOf(command, framesOf(chunks)));
}

/** The output in its original pieces, by the timing file: seconds since the previous piece, and its bytes. */
export function chunksOf(output: Buffer, timing: string): readonly string[] {
  let at = 0;
  return timing
    .trim()
    .split('\n')
    .map((line) => {
      const length = Number(line.split(' ')[1]);
      at += length;
      return output.subarray(at - length, at).toString();
    });
}

/** The screen at moments at which it had a live line, spread over the run, and at its end. */
export function framesOf(chunks: readonly string[]): readonly (readonly string[])[] {
  const screen = new Screen();
  const live: (readonly string[])[] = [];
  for (const chunk of chunks) {
    screen.write(chunk);
    const lines = screen.lines();
    if (lines.some((line) => /^\[[#.]+\] \d+\/\d+/.test(line))) live.push(lines);
  }
  const step = Math.max(1, live.length / liveFrames);
  const shown = Array.from(
    { length: Math.min(liveFrames, live.length) },
    (_, index) => live[Math.floor(index * step)],
  );
  return [...shown.filter((frame) => frame !== undefined), screen.lines()];
}

const letterOrControl = new RegExp(`${String.fromCodePoint(27)}\\[([\\d;?]*)([A-Za-z])|[^]`, 'g');

/** The part of a terminal that log-update uses: lines, cursor up, erase, column one. */
class Screen {
  readonly #lines: string[] = [''];
  #row = 0;
  #column = 0;

  write(text: string): void {
    for (const [part, parameter, final] of text.matchAll(letterOrControl)) {
      if (final !== undefined) this.#control(final, Number(parameter));
      else if (part === '\n') this.#move(1);
      else if (part === '\r') this.#column = 0;
      else if (part >= ' ') this.#put(part);
    }
  }

  lines(): readonly string[] {
    const lines = this.#lines.map((line) => line.trimEnd());
    return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
  }

  #control(final: string, count: number): void {
    if (final === 'A') this.#move(-Math.max(1, count));
    if (final === 'B') this.#move(Math.max(1, count));
    if (final === 'G') this.#column = Math.max(1, count) - 1;
    if (final === 'J') this.#lines.length = this.#row + 1;
    if (final === 'K' || final === 'J') {
      this.#lines[this.#row] = count === 2 ? '' : (this.#lines[this.#row] ?? '').slice(0, this.#column);
    }
  }

  #move(rows: number): void {
    this.#row = Math.max(0, this.#row + rows);
    while (this.#lines.length <= this.#row) this.#lines.push('');
  }

  #put(letter: string): void {
    const line = (this.#lines[this.#row] ?? '').padEnd(this.#column);
    this.#lines[this.#row] = line.slice(0, this.#column) + letter + line.slice(this.#column + 1);
    this.#column += 1;
  }
}

/**
 * One picture; its frames follow one another without a script, and a reader who prefers reduced motion sees the last
 * one.
 */
function svgOf(command: string, frames: readonly (readonly string[])[]): string {
  const rows = Math.max(...frames.map(({ length }) => length)) + 1;
  const [width, height] = [Math.ceil(columns * charWidth) + 2 * padding, rows * lineHeight + 2 * padding];
  const seconds = (frames.length - 1) * liveSeconds + finalSeconds;
  const groups = frames.map((lines, index) => {
    const text = [`$ ${command}`, ...lines].map((line, row) => textOf(line, row)).join('\n');
    return `<g class="f f${index}">\n${text}\n</g>`;
  });
  const rules = frames.map((_, index) => {
    const from = ((index * liveSeconds) / seconds) * 100;
    const until = index === frames.length - 1 ? 100 : (((index + 1) * liveSeconds) / seconds) * 100;
    const off = 'visibility:hidden';
    const before = from === 0 ? '' : `0%,${(from - 0.01).toFixed(2)}%{${off}}`;
    const after = until === 100 ? '' : `${(until + 0.01).toFixed(2)}%,100%{${off}}`;
    return `@keyframes k${index}{${before}${from.toFixed(2)}%,${until.toFixed(2)}%{visibility:visible}${after}}.f${index}{animation:k${index} ${seconds}s infinite}`;
  });
  const still = `@media (prefers-reduced-motion:reduce){.f{animation:none}.f:last-of-type{visibility:visible}}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Terminal: ${escaped(command)}, its live line and its result">
<style>.f{visibility:hidden}${rules.join('')}${still}</style>
<rect width="${width}" height="${height}" rx="8" fill="#10141a"/>
<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13" fill="#d7dde5">
${groups.join('\n')}
</g>
</svg>
`;
}

function textOf(whole: string, row: number): string {
  if (whole === '') return '';
  const line = whole.length > columns ? `${whole.slice(0, columns - 1)}…` : whole;
  const y = padding + (row + 1) * lineHeight - 5;
  const fill = row === 0 ? ' fill="#8ab4ff"' : '';
  // With a fixed length, so that columns align in every font.
  return `<text x="${padding}" y="${y}"${fill} textLength="${(line.length * charWidth).toFixed(0)}" xml:space="preserve">${escaped(line)}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
