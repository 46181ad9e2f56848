export { describeOnProtocolDouble, describeOnRealDeployments } from './conforms.ts';
export {
  type ConvexProtocolDouble,
  type DoubleOptions,
  doubleVersion,
  startConvexProtocolDouble,
} from './convex-protocol-double.ts';
export { type DoubleProcess, startDoubleProcess } from './double-process.ts';
export { GivenUp } from './sync-double.ts';
