export * from './load.ts';
export * from './workspace.ts';
