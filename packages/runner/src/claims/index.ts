export { type Claim, claimSchema, type ClaimFigure, type ClaimStatement } from './claim.ts';
export { type ClaimDesign, claimDesignSchema } from './design.ts';
export { figureTarget, type FigureTarget } from './figure-target.ts';
export { type ClaimEvidence, judgeClaim } from './judge.ts';
export { claimNames, loadClaim } from './load.ts';
