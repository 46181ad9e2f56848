import { expect, test } from 'vitest';
import { chunksOf, framesOf } from '../docs/terminal-recording.ts';

const escape = String.fromCodePoint(27);
const live = (trial: number): string => `[##......] ${trial}/4  about 9 s left\r\npostgres  round ${trial}`;

test('frames show the screen at live moments and at the end', () => {
  const frames = framesOf([
    'postgres: ready\r\n',
    `${live(1)}\r\n`,
    // As log-update draws a change: up, to the first column, and each line again.
    `${escape}[2A${escape}[G${escape}[2K${live(2)}${escape}[K${escape}[1B`,
    `${escape}[G${escape}[1A${escape}[2K${escape}[1A${escape}[2K${escape}[G FAIR\r\n`,
  ]);
  expect(frames).toEqual([
    ['postgres: ready', '[##......] 1/4  about 9 s left', 'postgres  round 1'],
    ['postgres: ready', '[##......] 2/4  about 9 s left', 'postgres  round 2'],
    ['postgres: ready', ' FAIR'],
  ]);
});

test('the output is cut by the bytes of its timing', () => {
  expect(chunksOf(Buffer.from('one×two'), '0.1 3\n0.2 2\n0.1 3\n')).toEqual(['one', '×', 'two']);
});
