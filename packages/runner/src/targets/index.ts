export type { TargetDefinition } from './definition.ts';
export { chosenTargets, configuredDefinition, type TargetChoice } from './known-targets.ts';
export { suggestion } from './select-targets.ts';
export { nearest } from './nearest.ts';
export { type Variant, variantName, withVariant } from './variant.ts';
