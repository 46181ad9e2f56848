export { explainDesignSchema, type ExplainDesign } from './design.ts';
export { explainTrials } from './explain.ts';
export { gapBetween, type CellChoice, type Gap } from './plan-cells.ts';
export { completeEnds, type Completion, describeEnd, type End, type GivenEnd, parseEnd } from './endpoint.ts';
export type { Means } from './configuration.ts';
export { bestDepth, plainSettings, type Settings, type Switch, switchesOf } from './switches.ts';
export { expectedMs } from './timing.ts';
export { fitBudget, type FittedCells } from './fit-budget.ts';
export { resolve } from './configuration.ts';
