export { prepareNativeClient } from './prepare.ts';
export { type NativeClient, type PrepareOptions } from './prepare.ts';
