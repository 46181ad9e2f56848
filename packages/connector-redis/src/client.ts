import { keyValueClient } from '@fair-bench/key-value/client';
import { system } from './system.ts';

export default keyValueClient(system);
