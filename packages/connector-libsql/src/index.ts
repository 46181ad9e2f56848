import { embeddedSqlConnector } from '@fair-bench/sql/embedded/connector';
import { system } from './system.ts';

export default embeddedSqlConnector(system, 'embedded', new URL('./main.ts', import.meta.url));
