export { meanWithInterval, type MeanEstimate } from './mean.ts';
export { pairedRatio, unpairedRatio, type RatioEstimate, type RoundPair } from './ratio.ts';
export { tFactor } from './t-interval.ts';
export { deviationOf, smallestTold } from './smallest-told.ts';
