export * from './client-process.ts';
