import type { Reporter, TestModule } from 'vitest/node';

/** Ends a test run with one plain line, with the reason of every test that was skipped, and with every first failure. */
export default class PlainCountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      if (module.state() === 'failed' && module.errors().length > 0) counts.failed += 1;
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === 'pending') continue;
        counts[result.state] += 1;
        if (test.diagnostic()?.flaky === true)
          this.#print(`passed only when it was tried again: ${test.fullName}`);
        if (result.state === 'skipped')
          this.#print(`skipped: ${test.fullName}: ${result.note ?? 'no reason given'}`);
      }
    }
    this.#print(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }

  #print(line: string): void {
    process.stdout.write(`${line}\n`);
  }
}
