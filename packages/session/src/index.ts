export { reconnectingSession, type Connection, type ReconnectingSession } from './reconnecting-session.ts';
export { Outstanding } from './outstanding.ts';
export { faultOfConnecting, faultsByCode, type FaultRules } from './faults-by-code.ts';
export { namedArguments, type Arguments } from './named-arguments.ts';
export { HttpConnection } from './http-connection.ts';
export type { HttpBatch, HttpCall, HttpMethod } from './http-call.ts';
export { httpSession } from './http-session.ts';
export { openBounded, openScoped } from './open-bounded.ts';
