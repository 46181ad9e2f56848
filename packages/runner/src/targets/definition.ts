import type { TargetSettings } from '@fair-bench/contract';
import type { FoundConnector } from '../discover/workspace.ts';

/** A target under its name: a connector, with the endpoint and the settings that it is to have. */
export interface TargetDefinition {
  /** As in plans, results and `--systems`. */
  readonly target: string;
  readonly connector: FoundConnector;
  /** The product: the connector's system, where the user's configuration does not name another. */
  readonly system: string;
  /** Whether it stands in the user's configuration; the command line names it all the same. */
  readonly configured: boolean;
  /** The user's endpoint, complete with its password; null where we start one. Never written down. */
  readonly url: string | null;
  readonly settings: TargetSettings;
}
