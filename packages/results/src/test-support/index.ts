export { heldBytes } from './heap.ts';
export { type DriftingMachine, driftingMachine, trialSeconds } from './drifting-machine.ts';
export { seededNormal, seededRandom } from './random.ts';
