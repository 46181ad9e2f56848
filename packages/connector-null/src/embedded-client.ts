import { defineClient } from '@fair-bench/contract';
import { engineClient } from '@fair-bench/engine/client';
import { memoryEngine } from './memory-engine.ts';

export default defineClient(engineClient(memoryEngine));
