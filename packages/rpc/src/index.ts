export * from './protocol.ts';
export { controlTables } from './control/control-tables.ts';
export { codecsOf } from './codec/codec.ts';
export {
  type AppServer,
  type Ask,
  rpcEndpoint,
  rpcWireProtocol,
  startAppServer,
  startRpcServer,
} from './control/start-server.ts';
export { runtimeCommand, withRuntime } from './runtime.ts';
