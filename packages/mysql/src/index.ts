export { ended, endingWith } from './calls-end.ts';
export { resultRows } from './cells.ts';
export { drizzleRoute } from './drizzle/route.ts';
export { endpointOf, forMysql2 } from './endpoint.ts';
export { mysqlSystem, type MysqlMember } from './system.ts';
