import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** Ends a test run with one plain line, the reason of every skipped test, and every first failure. */
export default class PlainCountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    const failures: string[] = [];
    for (const module of modules) {
      const [broken] = module.errors();
      if (module.state() === 'failed' && broken !== undefined) {
        counts.failed += 1;
        failures.push(failure(module.relativeModuleId, 'the file itself', broken.message));
      }
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === 'pending') continue;
        counts[result.state] += 1;
        if (result.state === 'skipped')
          this.#print(`skipped: ${test.fullName}: ${result.note ?? 'no reason given'}`);
        if (result.state === 'failed') failures.push(failedTest(test, result.errors[0]?.message));
        if (test.diagnostic()?.flaky === true)
          failures.push(
            `passed only when it was tried again: ${test.module.relativeModuleId} > ${test.fullName}`,
          );
      }
    }
    for (const line of failures) this.#print(line);
    this.#print(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }

  #print(line: string): void {
    process.stdout.write(`${line}\n`);
  }
}

function failedTest(test: TestCase, message = 'no error was given'): string {
  return failure(test.module.relativeModuleId, test.fullName, message);
}

function failure(file: string, name: string, message: string): string {
  return `failed: ${file} > ${name}: ${message.slice(0, 600).replaceAll('\n', '\n  ')}`;
}
