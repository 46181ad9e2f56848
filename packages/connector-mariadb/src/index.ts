import { sqlConnector } from '@fair-bench/sql/connector';
import { system } from './system.ts';

export default sqlConnector(system, 'driver');
