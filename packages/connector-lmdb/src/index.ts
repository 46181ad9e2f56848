import { defineConnector } from '@fair-bench/contract';
import { engineRoute } from '@fair-bench/engine/connector';
import { route as heed } from './heed.ts';
import { system } from './system.ts';

const { fairProfile } = system;

export default defineConnector({
  system: 'lmdb',
  fairProfile,
  routes: { embedded: engineRoute(system), heed },
});
