import { createLogUpdate } from 'log-update';
import type { ContrastEstimate } from '@fair-bench/analysis';
import type { Display } from '../measure/run-context.ts';

/** The part of a terminal or a pipe that a display writes to. */
export type DisplayStream = NodeJS.WritableStream & { readonly isTTY?: boolean };

type DisplayClock = () => number;

/** Without a terminal a running trial prints a line at least this often. */
const plainProgressMs = 10_000;
const barWidth = 24;

/**
 * A display for the stream: live on a terminal, otherwise plain lines.
 * @param trialMsExpected the expected duration of a trial, until the first one has ended.
 */
export function createDisplay(
  stream: DisplayStream,
  trialMsExpected: number,
  now: DisplayClock = () => performance.now(),
): Display {
  return stream.isTTY ? liveDisplay(stream, trialMsExpected, now) : plainDisplay(stream, now);
}

/** A display of messages, and of each trial's outcome where `ended` takes it. */
export function linesOnly(
  say: (line: string) => void,
  ended: (line: string) => void = () => undefined,
): Display {
  const nothing = (): void => undefined;
  return {
    message: say,
    trialStarted: nothing,
    phase: nothing,
    progress: nothing,
    trialEnded: ended,
    contrast: nothing,
    close: nothing,
  };
}

interface TrialShown {
  readonly title: string;
  readonly n: number;
  readonly of: number;
}

function liveDisplay(stream: DisplayStream, trialMsExpected: number, now: DisplayClock): Display {
  const update = createLogUpdate(stream);
  const startedAt = now();
  let trial: TrialShown | null = null;
  let phase = '';
  let tps: number | null = null;
  let ended = 0;
  let closed = false;
  let estimate = '';

  const draw = (): void => {
    if (trial === null || closed) return;
    const leftMs = timeLeftMs(trial.of, ended, now() - startedAt, trialMsExpected);
    const throughput = tps === null ? '' : `  ${formatTps(tps)}`;
    update(
      `${bar(Math.min(1, ended / trial.of))} ${trial.n}/${trial.of}  about ${formatDuration(leftMs)} left\n` +
        `${trial.title}  ${phase}${throughput}${estimate}`,
    );
  };
  const message = (line: string): void => {
    if (closed) return;
    update.clear();
    stream.write(`${line}\n`);
    draw();
  };
  return {
    message,
    trialStarted(title, n, of) {
      trial = { title, n, of };
      phase = '';
      tps = null;
      draw();
    },
    phase(next) {
      phase = next;
      tps = null;
      draw();
    },
    progress(current) {
      tps = current;
      draw();
    },
    trialEnded(outcome, passed) {
      // A trial that is measured again ends more than once.
      ended = trial?.n ?? ended;
      // A passed trial is in the report; another one keeps its line.
      if (trial !== null && !passed) message(trialLine(trial, outcome));
    },
    contrast(one) {
      estimate = `\n${describeEstimate(one)}`;
      draw();
    },
    close() {
      if (closed) return;
      closed = true;
      update.clear();
      update.done();
    },
  };
}

function plainDisplay(stream: DisplayStream, now: DisplayClock): Display {
  let trial: TrialShown | null = null;
  let phase = '';
  let saidAt = now();
  let closed = false;

  const say = (line: string): void => {
    if (closed) return;
    saidAt = now();
    stream.write(`${line}\n`);
  };
  return {
    message: say,
    trialStarted(title, n, of) {
      trial = { title, n, of };
      phase = '';
    },
    phase(next) {
      phase = next;
    },
    progress(tps, elapsedMs) {
      if (trial === null || now() - saidAt < plainProgressMs) return;
      say(trialLine(trial, `${phase}, ${formatDuration(elapsedMs)}, ${formatTps(tps)}`));
    },
    trialEnded(outcome) {
      if (trial !== null) say(trialLine(trial, outcome));
    },
    contrast() {
      // These lines remain; the report has the final comparison.
    },
    close() {
      closed = true;
    },
  };
}

/** The faster one first. */
function describeEstimate({ baseline, contender, ratio, ci95, rounds }: ContrastEstimate): string {
  const [low, high] = ci95 ?? [ratio, ratio];
  const words = (fast: string, slow: string, values: readonly number[]): string => {
    const [middle = '', from = '', to = ''] = values.map((value) => value.toPrecision(3));
    return `${fast} is ${middle} × [${from}, ${to}] ${slow} after ${rounds} rounds`;
  };
  return ratio >= 1
    ? words(contender, baseline, [ratio, low, high])
    : words(baseline, contender, [1 / ratio, 1 / high, 1 / low]);
}

function trialLine(trial: TrialShown, text: string): string {
  return `[${trial.n}/${trial.of}] ${trial.title}: ${text}`;
}

function timeLeftMs(of: number, ended: number, elapsedMs: number, trialMsExpected: number): number {
  const trialMs = ended === 0 ? trialMsExpected : elapsedMs / ended;
  return ended === 0 ? Math.max(0, of * trialMs - elapsedMs) : Math.max(0, of - ended) * trialMs;
}

function bar(share: number): string {
  const full = Math.round(share * barWidth);
  return `[${'#'.repeat(full)}${'.'.repeat(barWidth - full)}]`;
}

function formatTps(tps: number): string {
  return `${Math.round(tps).toLocaleString('en-US')} applied/s`;
}

function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
