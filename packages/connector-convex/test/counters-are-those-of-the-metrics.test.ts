import { expect, test } from 'vitest';
import { workCounters } from '../src/counters.ts';

// As a self-hosted backend writes them: the program's name before each metric, labels sorted by name.
const metrics = `
# HELP convex_local_backend_database_commit_seconds Time to commit a transaction
# TYPE convex_local_backend_database_commit_seconds histogram
convex_local_backend_database_commit_seconds_bucket{status="success",le="0.1"} 40
convex_local_backend_database_commit_seconds_sum{status="success"} 1.25
convex_local_backend_database_commit_seconds_count{status="success"} 41
convex_local_backend_database_commit_seconds_count{status="error"} 7
convex_local_backend_occ_retries_total_sum 9
convex_local_backend_occ_retries_total_count 41
`.split('\n');

test('committed and repeated transactions are counted, and nothing else', () => {
  expect(workCounters(metrics)).toEqual({ commits: 41, retries: 9 });
});

test('without the histogram nothing ran again', () => {
  const without = metrics.filter((line) => !line.includes('occ_retries'));
  expect(workCounters(without)).toEqual({ commits: 41, retries: 0 });
});

test('without metrics, or with others, there is no counter', () => {
  expect(workCounters(null)).toEqual({});
  expect(workCounters(['something_else_total 5'])).toEqual({});
});
