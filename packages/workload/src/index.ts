export * from './schema.ts';
export * from './words.ts';
export * from './define.ts';
export * from './parse.ts';
export * from './resolved.ts';
export * from './resolve.ts';
export * from './stream.ts';
export { createSlots, createStream, streamSource, type StreamPlace } from './compile.ts';
