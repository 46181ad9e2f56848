export { connectRpcSession } from './session.ts';
