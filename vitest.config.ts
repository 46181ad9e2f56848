import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { everyTest } from './packages/contract/src/test-support/index.ts';

const folders = ['packages/*', 'rpc-servers/*', 'workloads/*', 'tools'];

/** Tests that judge times, rates or processors of this machine: each runs while no other test does. */
const aloneOnTheMachine = [
  'packages/conformance/test/audit-voids-false-durability.test.ts',
  'packages/conformance/test/audit-voids-false-latency-and-depth.test.ts',
  // A load that others disturb is measured again, up to ten times as long as it takes alone.
  'packages/conformance/test/faults-show-what-was-lost-and-doubled.test.ts',
  'packages/connector-convex/test/commits-of-a-seen-disk-are-durable.test.ts',
  'packages/load-agent/test/liars-among-agents-void-the-trial.test.ts',
  'packages/load-agent/test/machines-apart-carry-a-run.test.ts',
  'packages/load-client/test/open-loop-times-from-the-intended-start.test.ts',
  'packages/load-client/test/shares-of-a-trial-begin-together.test.ts',
  'packages/load-client/test/steady-state-is-detected.test.ts',
  'packages/native-client/test/an-idle-target-is-timed-to-a-fraction-of-a-millisecond.test.ts',
  'packages/native-client/test/an-overload-shows-what-waited.test.ts',
  'packages/native-client/test/ten-thousand-sessions.test.ts',
  // Its load client gives way to whatever runs beside it.
  'packages/runner/test/a-setting-is-one-row.test.ts',
  'packages/runner/test/another-isolation-level-is-not-fair.test.ts',
  'packages/runner/test/durability-is-observed-by-flushes.test.ts',
  'packages/runner/test/explain-measures-known-delays.test.ts',
  'packages/runner/test/host-is-seen-and-measured-again.test.ts',
  'packages/runner/test/pinned-processes-have-cores-of-their-own.test.ts',
  // It says how long an end may take.
  'packages/runner/test/run-ends-clean-however-it-ends.test.ts',
  'packages/runner/test/run-is-fair-or-says-not-fair.test.ts',
  'packages/runner/test/the-disk-says-what-it-writes.test.ts',
  'rpc-servers/null/test/delay-is-never-cut-short.test.ts',
  'tools/test/a-target-is-measured-against-itself.test.ts',
];

/**
 * In `npm run test:all`, which the nightly workflow runs, and `npm run test:only`: each of these takes half a minute or more of both
 * processors, and `npm test` has a cheaper test of what breaks, or of one of its kind.
 */
const onlyInTestAll = everyTest
  ? []
  : [
      // Installs the package, with its databases, from the registry into an empty folder; `pack` itself is linted and typed.
      'tools/test/the-package-runs-in-another-repository.test.ts',
      // The tools that measure this machine, by their simulations and in full.
      'tools/test/a-target-is-measured-against-itself.test.ts',
      'tools/test/noise-floor-is-what-a-machine-tells.test.ts',
      // A compose file's stack, as doubles of its commands.
      'packages/runner/test/docker-provider-drives-compose.test.ts',
      // A run of Convex's double whose artifacts are searched for a key; its messages' tests are beside it.
      'packages/connector-convex/test/secrets-are-never-written.test.ts',
      // The conformance of routes under another runtime.
      'packages/connector-postgres/test/conformance-under-bun.test.ts',
      // Every template of a connector through the linter, the type checker and its own tests; the templates are linted as they are.
      'packages/runner/test/new-connector-passes-lint-and-types.test.ts',
      // The suite's own sentences for what an author of a connector gets wrong.
      'packages/conformance/test/a-mistake-is-named-once.test.ts',
      // What a level forbids, on real servers; the judges have histories with each anomaly in workload/test/replay/isolation.
      'packages/conformance/test/audit-voids-what-the-isolation-level-forbids.test.ts',
      'packages/runner/test/another-isolation-level-is-not-fair.test.ts',
      // Reads of versions and lists; the replay's tests have logs of them.
      'packages/conformance/test/audit-voids-false-read-backs.test.ts',
      // Engines in the load client: the others of the family of redb, and what is seen of their files and memory.
      'packages/connector-fjall/test/conformance.test.ts',
      'packages/connector-lmdb/test/heed-conformance.test.ts',
      'packages/connector-sled/test/conformance.test.ts',
      'packages/runner/test/a-killed-engine-loses-what-was-not-durable.test.ts',
      'packages/runner/test/engines-begin-cold.test.ts',
      'packages/runner/test/engines-have-limited-memory.test.ts',
      'packages/runner/test/engines-show-what-they-write-and-keep.test.ts',
      // Durability and its settings over whole runs; audit-voids-false-durability has the rules.
      'packages/runner/test/durability-is-observed-by-flushes.test.ts',
      'packages/runner/test/every-flush-method-of-mariadb-passes.test.ts',
      'packages/runner/test/every-way-to-sync-passes.test.ts',
      'packages/runner/test/storage-that-is-not-seen-is-no-evidence.test.ts',
      // Clusters whose leader is killed: of PostgreSQL with a standby, and of Galera. a-node-is-struck-and-no-other has doubles.
      'packages/runner/test/a-cluster-is-struck-at-the-node-that-sessions-reach.test.ts',
      // A soak with a row that is forgotten, and one that is killed; workload/test/replay has loads that go on from each other.
      'packages/runner/test/a-soak-goes-on-from-what-it-left.test.ts',
      // Whole runs of what the plan's own tests have without a server; explain-recovers-known-factors has simulated systems.
      'packages/runner/test/explain-measures-known-delays.test.ts',
      'packages/runner/test/an-unavailable-end-is-refused-before-a-run.test.ts',
      'packages/runner/test/compare-interleaves-two-targets.test.ts',
      'packages/runner/test/connections-fit-the-server.test.ts',
      'packages/runner/test/each-round-has-servers-of-its-own.test.ts',
      'packages/runner/test/optimize-shows-what-it-tried-and-what-it-lacks.test.ts',
      'packages/runner/test/pinned-processes-have-cores-of-their-own.test.ts',
      // MySQL beside MariaDB, by the code that both have.
      'packages/connector-mysql/test/conformance.test.ts',
      'packages/mysql/test/a-user-with-limits-is-asked-first.test.ts',
      'packages/mysql/test/levels-are-what-the-server-reports.test.ts',
      'packages/mysql/test/ssl-mode-is-read-as-mysql-does.test.ts',
      'packages/mysql/test/tables-take-the-longest-texts-of-a-run.test.ts',
      // The native client at its limits, and agents on machines apart; native-trials-are-audited and the agents' liars have the rest.
      'packages/load-agent/test/machines-apart-carry-a-run.test.ts',
      'packages/native-client/test/an-idle-target-is-timed-to-a-fraction-of-a-millisecond.test.ts',
      'packages/native-client/test/ten-thousand-sessions.test.ts',
    ];

/** Small files that run for half a minute or more: last in the order of sizes, one of them would end the run alone. */
const long = [
  'conform',
  'audit-voids-what',
  'config-names-targets',
  'report-html-opens',
  'a-void-of-the-machine',
  'nats-checks-who-comes',
];

/** After the long ones: cargo builds the native client and the engines meanwhile. */
const needsNative =
  /\/native-client(?:\/|\.)test|\/native-engine\/test\/an-engine|\/connector-(?:redb|sled|fjall|rocksdb)\/test\/|\/heed-conformance/;

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rankOf = ({ moduleId }: TestSpecification): number => {
      if (needsNative.test(moduleId)) return long.length;
      const rank = long.findIndex((name) => moduleId.includes(name));
      return rank === -1 ? long.length + 1 : rank;
    };
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: folders.map((folder) => `${folder}/test/**/*.test.ts`),
          exclude: [...aloneOnTheMachine, ...onlyInTestAll],
          // What a file imports serves the next one too.
          isolate: false,
          // More than the two processors of a small machine: most files wait for disks, delays and windows half of their time. With
          // more, trials are void for the machine's sake, and measured again.
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: aloneOnTheMachine,
          exclude: onlyInTestAll,
          isolate: false,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          setupFiles: './scripts/wait-for-checks.mjs',
        },
      },
    ],
    sequence: { sequencer: LongFirst },
    // Node.js runs the sources as they are, as users run them, and caches what it compiled of them.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Real servers meet a busy machine now and then; what is broken fails each time, and what failed once is named at the end.
    retry: 2,
    // Several files measure at the same time.
    env: { FAIR_BENCH_SHARE_HOST: '1' },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ['default', './scripts/plain-counts-reporter.ts'],
    passWithNoTests: false,
  },
});
