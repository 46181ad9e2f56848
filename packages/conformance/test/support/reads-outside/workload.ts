/** The workload isolation, with a binding that reads before its transaction begins. */
export { default } from '@fair-bench/workloads/isolation';
