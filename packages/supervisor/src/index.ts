export { bindingOf, withBinding } from './binding-file.ts';
export {
  beyondLimit,
  type ConnectionLimit,
  type ConnectionsOf,
  narrowest,
  ownConnections,
} from './connection-limit.ts';
export { writeCertificate } from './certificate.ts';
export { listenersAt, portsTo } from './connections-of.ts';
export { EndedEarly } from './child.ts';
export { createSupervisor } from './supervisor.ts';
export { Deployments } from './deployments.ts';
export { LonePlace, type LoneTarget, loneTargetOptions, startLoneTarget } from './lone-target.ts';
export type { RunSupervisor } from './supervisor.ts';
export { canTraverse, fileSystemOf, storageOf } from './file-system.ts';
export {
  hostConditions,
  type HostReading,
  type MachineReading,
  readHost,
  readMachine,
  readTicks,
} from './host.ts';
export {
  type ByRole,
  membersOf,
  readCpuUs,
  readMemoryBytes,
  readProcesses,
  readWrittenBytes,
} from './process-usage.ts';
export { freePort } from './free-port.ts';
export { type Cores, onCores } from './on-cores.ts';
export { MemoryGroup } from './memory-group.ts';
export { type CachedFiles, dropPageCache, writtenToDisk } from './page-cache.ts';
export { nativeTools, programVariable } from './env.ts';
export { findProgram, programVersion } from './find-program.ts';
export { parentOf, sendSignal, startTimeOf } from './process-table.ts';
export { runProgram, type ProgramRun } from './run-program.ts';
export { serverUser } from './server-user.ts';
export {
  startServer,
  type Launch,
  type RunningServer,
  type ServerPlace,
  type ServerSpecification,
} from './start-server.ts';
export { type DatabaseServer, type DatabaseSystem, probeServer, provideServer } from './database-server.ts';
export {
  driverConnector,
  driverProbe,
  type DriverKind,
  type DriverSystem,
  type OpenScoped,
  type SettingsInForce,
} from './driver-connector.ts';
export { descendantsOf, suspend } from './suspend.ts';
export { redactUrl } from './redact-url.ts';
