import { engineConnector } from '@fair-bench/engine/connector';
import { system } from './system.ts';

export default engineConnector(system);
