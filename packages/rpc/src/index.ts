export * from './protocol.ts';
export { startRpcServer, type RpcServerOptions, type RunningRpcServer } from './control/start-server.ts';
export { appServerOf, rpcWireProtocol, type AppServer } from './control/app-server.ts';
export { runtimeCommand, type RuntimeCommand } from './runtime/runtime-command.ts';
export { withRuntime } from './runtime/probe-runtime.ts';
export { ControlClient } from './control/control-client.ts';
