export { describeNoiseFloor, isBelowNoiseFloor, withNoiseFloor } from './judge.ts';
export { machineOf, noiseFloorFile, readNoiseFloor, storeNoiseFloor } from './stored.ts';
