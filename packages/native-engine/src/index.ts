export { nativeEngineConnector, nativeEngineRoute, type NativeEngineSystem } from './connector.ts';
