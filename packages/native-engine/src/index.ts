export { nativeEngineRoute, type NativeEngineSystem } from './connector.ts';
