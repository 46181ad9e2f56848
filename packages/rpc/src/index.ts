export * from './protocol.ts';
export { codecsOf } from './codec/codec.ts';
export { decodeRows, encodeRows } from './codec/rows.ts';
export { workloadShapeSchema } from './server/env.ts';
export { startRpcServer, type RpcServerOptions, type RunningRpcServer } from './control/start-server.ts';
export { appServerOf, rpcWireProtocol, type AppServer } from './control/app-server.ts';
export { bindingOf, withBinding } from './control/binding-file.ts';
export { runtimeCommand, withRuntime, type RuntimeCommand } from './runtime.ts';
export { ControlClient } from './control/control-client.ts';
