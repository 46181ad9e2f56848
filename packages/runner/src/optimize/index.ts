export { climb, type Point } from './climb.ts';
export { buildOptimizedPlan, type OptimizedPlan } from './optimized-plan.ts';
export { searchBestPoints, type SearchFindings } from './search-stage.ts';
export { variantsOf } from './variants.ts';
