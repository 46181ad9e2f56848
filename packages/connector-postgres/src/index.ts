import { defineConnector } from '@fair-bench/contract';
import { fairProfile } from './fair-profile.ts';
import { identify } from './identify.ts';
import { drizzle, storedproc } from './routes/app-server.ts';
import { application } from './routes/application.ts';
import { driver } from './routes/driver.ts';

export { type PostgresService, startPostgres } from './service.ts';

export default defineConnector({
  system: 'postgres',
  fairProfile,
  identify,
  routes: { drizzle, storedproc, driver, app: application },
});
