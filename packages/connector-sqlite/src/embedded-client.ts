import { defineClient } from '@fair-bench/contract';
import { engineClient } from '@fair-bench/engine/client';
import { embeddedSqlite } from './embedded.ts';

export default defineClient(engineClient(embeddedSqlite));
