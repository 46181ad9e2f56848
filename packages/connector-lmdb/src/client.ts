import { defineClient } from '@fair-bench/contract';
import { engineClient } from '@fair-bench/engine/client';
import { system } from './system.ts';

export default defineClient(engineClient(system));
