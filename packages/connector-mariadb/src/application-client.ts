import { defineClient } from '@fair-bench/contract';
import { applicationClient } from '@fair-bench/rpc/application-client';

export default defineClient(applicationClient);
