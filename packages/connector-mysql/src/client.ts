import { sqlClient } from '@fair-bench/sql/client';
import { system } from './system.ts';

export default sqlClient(system);
