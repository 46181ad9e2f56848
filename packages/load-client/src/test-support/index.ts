export * from './observed-client.ts';
