export { describeNoiseFloor, isBelowNoiseFloor, noiseFloorFor, withNoiseFloor } from './judge.ts';
export { machineOf, noiseFloorFile, readNoiseFloor, storeNoiseFloor } from './stored.ts';
