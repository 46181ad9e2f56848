import { mysqlConnector } from '@fair-bench/mysql';
import { system } from './system.ts';

export default mysqlConnector(system);
