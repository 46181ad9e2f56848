import { keyValueConnector } from '@fair-bench/key-value/connector';
import { system } from './system.ts';

export default keyValueConnector(system, 'driver');
