export { prepareNativeClient } from './prepare.ts';
export type { NativeClient, PrepareOptions } from './prepare.ts';
