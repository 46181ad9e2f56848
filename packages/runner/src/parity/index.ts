export { assessParity, type Parity } from './assess-parity.ts';
export type { ParityInput } from './evidence.ts';
export { rules } from './rules.ts';
