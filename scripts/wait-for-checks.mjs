import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Named by `scripts/run.mjs`, which ends the tests with itself; it removes the file when its checks have ended. */
const { CHECKS_BESIDE_TESTS: checksFile = '' } = process.env;

// Before the tests that run alone: a first build of the native load client takes minutes.
while (existsSync(checksFile)) await sleep(200);
