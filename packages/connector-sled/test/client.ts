import { defineClient } from '@fair-bench/contract';
import { nativeEngineClient } from '@fair-bench/native-engine/client';

export default defineClient(nativeEngineClient('sled-embedded'));
