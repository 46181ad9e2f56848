import { describeNativeClient } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import connector from '../src/index.ts';

describeNativeClient(routeOf(connector, 'sdk'), 'spacetimedb');
