import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: ['packages/*', 'rpc-servers/*', 'workloads/*', 'tools'].map((folder) => ({
      extends: true as const,
      test: { name: folder, include: [`${folder}/test/**/*.test.ts`] },
    })),
    // Real servers on few cores: one test file at a time keeps their deadlines honest.
    fileParallelism: false,
    // Real servers meet a busy machine now and then; what is broken fails twice, and what failed once is named at the end.
    retry: 1,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ['default', './scripts/plain-counts-reporter.ts'],
    passWithNoTests: false,
  },
});
