import { describeNativeClient } from '@fair-bench/conformance';
import connector from '../src/index.ts';

describeNativeClient(connector, 'spacetimedb');
