export { collapseRatio, kneeGainShare } from './bends.ts';
export { findSweeps } from './find-sweeps.ts';
