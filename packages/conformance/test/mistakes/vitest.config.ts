import { defineConfig } from 'vitest/config';

/** Run by `a-mistake-is-named-once.test.ts`: suites that must fail. */
export default defineConfig({
  test: {
    include: ['*.suite.ts'],
    experimental: { viteModuleRunner: false, nodeLoader: false },
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
