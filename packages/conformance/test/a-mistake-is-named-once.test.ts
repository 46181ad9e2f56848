import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { root } from '../src/workloads.ts';

const folder = fileURLToPath(new URL('mistakes', import.meta.url));
const timeoutMs = 240_000;

const reportSchema = z.object({
  testResults: z.array(
    z.object({
      message: z.string(),
      assertionResults: z.array(
        z.object({
          ancestorTitles: z.array(z.string()),
          title: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()),
        }),
      ),
    }),
  ),
});
type Report = z.infer<typeof reportSchema>;
let report: Report;

/** All connectors of `mistakes/connectors.suite.ts`, in one run. */
beforeAll(async () => {
  const results = await mkdtemp(join(tmpdir(), 'fair-bench-mistakes-'));
  const file = join(results, 'report.json');
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const words = ['run', '--root', folder, '--config', join(folder, 'vitest.config.ts')];
  const reporter = ['--reporter=json', `--outputFile=${file}`];
  try {
    await new Promise<void>((resolve) => {
      // Its tests fail: the exit code says nothing.
      execFile(process.execPath, [vitest, ...words, ...reporter], { cwd: root, timeout: timeoutMs }, () =>
        resolve(),
      );
    });
    report = reportSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } finally {
    await rm(results, { recursive: true });
  }
}, timeoutMs);

test.each([
  [
    'throws',
    /double-http: execute rejected with "parameter 3 has no type"; it never rejects: resolve with a fault/,
  ],
  ['sends-twice', /double-http: one call of execute applied transfer \(.*\) twice; send an operation once/],
  ['answers-with-a-number', /declined \(1\) instead of declined \(non-positive-amount\)/],
  [
    'leaves-a-timer',
    /double-http: its process still runs 8 s after session.close\(\), with .*Timeout.*; close must end/,
  ],
  [
    'never-doubts',
    /a fault without doubt was applied: once it was sent, a lost connection leaves it in doubt/,
  ],
  ['resends', /an operation was applied twice: turn off the resending, reconnecting and queue of the driver/],
  [
    'does-not-wait',
    /for an operation that began after the server was gone; resolve with the server's reply, never before it/,
  ],
  ['reads-numbers', /with a number instead of a bigint in column 1: a key is a number, an int64 a bigint/],
  [
    'calls-every-commit-durable',
    /async commits were requested, and the facts say durable; pass the level on/,
  ],
  ['ignores-the-level', /durable commits were requested, and the facts say async; pass the level on/],
  [
    'names-no-setting',
    /no setting that the server reports says so: name it in the fair profile, or set durabilityBasis/,
  ],
  [
    'calls-everysec-durable',
    /double-http: the facts call commits durable, but one costs 0\.\d\d flushes of the disk/,
  ],
  ['shares-one-server', /async commits were requested, and the facts say durable; pass the level on/],
  [
    'restarts-elsewhere',
    /it did not start again: .*not ready in 3000 ms.*launch prepares the directory once[^]*last lines of/,
  ],
  [
    'prints-no-version',
    /mydbd --version printed "mydb, the good one", in which no version was found.*; correct local.programs/,
  ],
  [
    'has-no-binding',
    /double-http is available, and every test of it was skipped: the workload transfer has no binding/,
  ],
])('a connector with the mistake %s fails one test, which says so', (mistake, message) => {
  expect(messagesOf(mistake)).toEqual([expect.stringMatching(message)]);
});

/** Of every failed test of the connector with this mistake. */
function messagesOf(mistake: string): string[] {
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.filter(
    ({ ancestorTitles, status }) => ancestorTitles[0] === `the mistake ${mistake}` && status === 'failed',
  );
  return failed.map(({ failureMessages: [message = 'no message'] }) => message);
}
