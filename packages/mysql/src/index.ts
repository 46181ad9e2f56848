export { ended, endingWith } from './calls-end.ts';
export { driverValue, resultRows } from './cells.ts';
export { endpointOf, forMysql2 } from './endpoint.ts';
export { mysqlSystem, type MysqlMember } from './system.ts';
