export { type ClientProcess, runShares, runTrial, startClient } from './client-process.ts';
