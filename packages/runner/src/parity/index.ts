export { assessParity, type Parity } from './assess-parity.ts';
export type { ParityInput } from './evidence.ts';
export { describeLoop } from './equal-rules.ts';
export { rules } from './rules.ts';
