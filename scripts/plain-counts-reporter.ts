import type { Reporter, SerializedError, TestCase, TestModule, TestSuite } from 'vitest/node';

declare module 'vitest' {
  interface TaskMeta {
    /** Why `skipIf` skips a test or all tests of a suite, where a test cannot say it by `context.skip`. */
    whySkipped?: string;
  }
}

/** Ends a test run with one plain line, the reason of every skipped test, and every first failure or error outside of tests. */
export default class PlainCountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    const failures: string[] = [];
    for (const module of modules) {
      const [broken] = module.errors();
      if (module.state() === 'failed' && broken !== undefined) {
        counts.failed += 1;
        failures.push(failure(module.relativeModuleId, 'the file itself', broken.message));
      }
      for (const suite of module.children.allSuites()) {
        // Its hook failed: its tests are skipped, and the run's exit code is 1.
        for (const error of suite.errors()) {
          counts.failed += 1;
          failures.push(failure(module.relativeModuleId, suite.fullName, error.message));
        }
      }
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === 'pending') continue;
        counts[result.state] += 1;
        if (result.state === 'skipped')
          this.#print(`skipped: ${test.fullName}: ${result.note ?? whySkipped(test) ?? 'no reason given'}`);
        if (result.state === 'failed') failures.push(failedTest(test, result.errors[0]?.message));
        if (test.diagnostic()?.flaky === true)
          // Its errors are those of the tries that failed.
          failures.push(
            `passed only when it was tried again; ${failedTest(test, result.errors?.[0]?.message)}`,
          );
      }
    }
    for (const [message, { error, count }] of byMessage(unhandled)) {
      // Of no test, and yet the run's exit code is 1. One cause may end in hundreds of them.
      counts.failed += 1;
      const times = count === 1 ? '' : ` (${count} ×)`;
      failures.push(
        failure('outside of the tests', `${error.name ?? 'an error'}${times}`, error.stack ?? message),
      );
    }
    for (const line of failures) this.#print(line);
    this.#print(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }

  #print(line: string): void {
    process.stdout.write(`${line}\n`);
  }
}

function byMessage(
  errors: readonly SerializedError[],
): ReadonlyMap<string, { readonly error: SerializedError; count: number }> {
  const found = new Map<string, { readonly error: SerializedError; count: number }>();
  for (const error of errors) {
    const same = found.get(error.message) ?? { error, count: 0 };
    same.count += 1;
    found.set(error.message, same);
  }
  return found;
}

/** Of the test itself or of the suites around it. */
function whySkipped(one: TestCase | TestSuite): string | undefined {
  const { parent } = one;
  return one.meta().whySkipped ?? (parent.type === 'suite' ? whySkipped(parent) : undefined);
}

function failedTest(test: TestCase, message = 'no error was given'): string {
  return failure(test.module.relativeModuleId, test.fullName, message);
}

function failure(file: string, name: string, message: string): string {
  return `failed: ${file} > ${name}: ${message.slice(0, 900).replaceAll('\n', '\n  ')}`;
}
