export { readConfig, type ConfigFile } from './read-config.ts';
export { configuredTargets, type ConfiguredTarget } from './configured-targets.ts';
