export { type ClientProcess, runTrial, startClient } from './client-process.ts';
