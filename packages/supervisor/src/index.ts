export { createSupervisor } from './supervisor.ts';
export { type LoneTarget, loneTargetOptions, startLoneTarget } from './lone-target.ts';
export type { RunSupervisor, SupervisorOptions } from './supervisor.ts';
export { canTraverse, fileSystemOf } from './file-system.ts';
export type { FileSystem } from './file-system.ts';
export { freePort } from './free-port.ts';
