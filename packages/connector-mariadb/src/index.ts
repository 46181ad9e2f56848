import { mysqlConnector } from '@fair-bench/mysql/connector';
import { system } from './system.ts';

export default mysqlConnector(system);
