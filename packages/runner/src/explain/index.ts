export { explainDesignSchema, type ExplainDesign } from './design.ts';
export { explainTrials } from './explain.ts';
