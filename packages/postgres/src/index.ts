export { startPostgres } from './service.ts';
export { type PostgresService } from './service.ts';
export { postgresDeployment } from './deployment.ts';
export { type AppServerFacts, type AppServerPart, type PostgresDeploymentParts } from './deployment.ts';
export { probeFor } from './probe.ts';
export { type Capabilities, detectCapabilities, lackOf, type Need } from './capabilities.ts';
export { fairProfile } from './fair-profile.ts';
export { factsFromSettings, parseSettings, readSettings, settingsQuery } from './settings.ts';
export { type PostgresFacts, type Settings } from './settings.ts';
export { outcomeOfCode, transferCallText, transferFunctionSql } from './transfer-function.ts';
export { createTransferCall } from './transfer-call.ts';
export { type TransferCall } from './transfer-call.ts';
export { connectTransferSession } from './transfer-session.ts';
export { createTransferPool } from './transfer-pool.ts';
export { type TransferPool } from './transfer-pool.ts';
export { faultOfConnectError, faultOfError } from './error-outcome.ts';
export { type Profile, profileOf } from './profile.ts';
export { sessionUrl } from './session-url.ts';
export {
  type Machine,
  thisMachine,
  tunedServerSettings,
  tunedTableSettings,
  type TunedSetting,
} from './tuned-profile.ts';
export { redactUrl, timedSessionConfig } from './connection.ts';
