import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createDisplay, type DisplayStream } from '../src/commands/display.ts';

/** A double of a terminal or a pipe: keeps what was written. */
function streamDouble(isTTY: boolean): { stream: DisplayStream; written: () => string } {
  const chunks: string[] = [];
  const through = new PassThrough();
  through.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  const stream = Object.assign(through, { isTTY, columns: 100, rows: 24 });
  return { stream, written: () => chunks.join('') };
}

describe('without a terminal', () => {
  test('there are plain lines: one for each message and each trial', () => {
    const { stream, written } = streamDouble(false);
    let nowMs = 0;
    const display = createDisplay(stream, 5000, () => nowMs);
    display.message('postgres: ready');
    display.trialStarted('some-cell round 1', 1, 2);
    display.phase('window');
    display.progress(1234.5, 1000);
    display.trialEnded('1,234 tps', true);
    display.trialStarted('other-cell round 2', 2, 2);
    display.phase('window');
    nowMs = 10_001;
    display.progress(99, 9000);
    display.progress(98, 9500);
    display.trialEnded('void: it died', false);
    display.close();
    display.message('too late');
    expect(written()).toBe(
      [
        'postgres: ready',
        '[1/2] some-cell round 1: 1,234 tps',
        '[2/2] other-cell round 2: window, 9 s, 99 applied/s',
        '[2/2] other-cell round 2: void: it died',
        '',
      ].join('\n'),
    );
  });
});

describe('in a terminal', () => {
  test('the current cell, phase, throughput, time left and comparison are shown, and what is void stays', () => {
    const { stream, written } = streamDouble(true);
    let nowMs = 0;
    const display = createDisplay(stream, 5000, () => nowMs);
    display.trialStarted('some-cell round 1', 1, 4);
    expect(written()).toContain('[........................] 1/4  about 20 s left');
    display.phase('window');
    display.progress(1234.5, 1000);
    expect(written()).toContain('some-cell round 1  window  1,235 applied/s');
    nowMs = 30_000;
    display.trialEnded('1,234 tps', true);
    expect(written()).not.toContain('1,234 tps');
    display.trialStarted('next-cell round 1', 2, 4);
    expect(written()).toContain('[######..................] 2/4  about 1 min 30 s left');
    const standing = { baseline: 'some-cell', contender: 'next-cell', ratio: 2 };
    display.contrast({
      ...standing,
      ci95: [1.8, 2.2],
      rounds: 5,
      halfWidth: 0.1,
      isDecided: true,
      significant: true,
      pValue: 0.001,
    });
    expect(written()).toContain('next-cell is 2.00 × [1.80, 2.20] some-cell after 5 rounds');
    display.trialEnded('void: it died', false);
    expect(written()).toContain('[2/4] next-cell round 1: void: it died\n');
    display.trialStarted('last-cell round 1', 4, 4);
    for (let again = 0; again < 3; again += 1) display.trialEnded('measured again', false);
    expect(written()).toContain('[########################] 4/4  about 0 s left');
    display.close();
    const before = written();
    display.progress(1, 1);
    expect(written()).toBe(before);
  });
});
