import { defineConfig } from 'vitest/config';

/** Packages that compute and start nothing: their test files share one process and what it has imported. */
const pure = ['packages/{analysis,contract,report,results,workload}'];
const folders = ['packages/*', 'rpc-servers/*', 'workloads/*', 'tools'];

/** Tests that judge times, rates or processors of this machine: each runs while no other test does. */
const aloneOnTheMachine = [
  'packages/conformance/test/audit-voids-false-durability.test.ts',
  'packages/conformance/test/audit-voids-false-latency-and-depth.test.ts',
  'packages/load-agent/test/liars-among-agents-void-the-trial.test.ts',
  'packages/load-agent/test/machines-apart-carry-a-run.test.ts',
  'packages/load-client/test/open-loop-times-from-the-intended-start.test.ts',
  'packages/load-client/test/shares-of-a-trial-begin-together.test.ts',
  'packages/load-client/test/steady-state-is-detected.test.ts',
  'packages/native-client/test/an-overload-shows-what-waited.test.ts',
  'packages/native-client/test/ten-thousand-sessions.test.ts',
  'packages/runner/test/durability-is-observed-by-flushes.test.ts',
  'packages/runner/test/explain-measures-known-delays.test.ts',
  'packages/runner/test/host-is-seen-and-measured-again.test.ts',
  'packages/runner/test/pinned-processes-have-cores-of-their-own.test.ts',
  'packages/runner/test/run-is-fair-or-says-not-fair.test.ts',
  'rpc-servers/null/test/delay-is-never-cut-short.test.ts',
];

export default defineConfig({
  test: {
    projects: [
      ...[...pure, ...folders].map((folder) => ({
        extends: true as const,
        test: {
          name: folder,
          include: [`${folder}/test/**/*.test.ts`],
          exclude: [...aloneOnTheMachine, ...(pure.includes(folder) ? [] : pure.map((one) => `${one}/**`))],
          isolate: !pure.includes(folder),
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      })),
      {
        extends: true as const,
        test: { name: 'alone', include: aloneOnTheMachine, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
    // Real servers meet a busy machine now and then; what is broken fails twice, and what failed once is named at the end.
    retry: 1,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ['default', './scripts/plain-counts-reporter.ts'],
    passWithNoTests: false,
  },
});
