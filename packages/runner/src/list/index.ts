import { type Listing, plainTargetSettings, type TargetOptions } from '@fair-bench/contract';
import Table from 'cli-table3';
import { probe } from '../cli/probe.ts';
import { discover, loadConnector, type FoundConnector } from '../discover/index.ts';
import { messageOf } from '../error-message.ts';

const reasonWidth = 72;

const probedOptions: TargetOptions = { ...plainTargetSettings, sessionsMax: 1, depthMax: 1 };

/** Every target that the workspace has, and whether it could be had on this machine. Starts nothing. */
export async function listTargets(root: string): Promise<Listing[]> {
  const { connectors } = await discover(root);
  return await Promise.all(connectors.map(async (found) => await listingOf(found)));
}

/** The list for a terminal. */
export function renderListing(listings: readonly Listing[]): string {
  const table = new Table({
    head: ['target', 'available', 'version', 'reason and remedy'],
    style: { head: [], border: [] },
    colWidths: [null, null, null, reasonWidth],
    wordWrap: true,
  });
  for (const { target, available, version, reason, remedy } of listings) {
    table.push([
      target,
      available ? 'yes' : 'no',
      version ?? '',
      [reason, remedy].filter(Boolean).join('\n'),
    ]);
  }
  return table.toString();
}

async function listingOf(found: FoundConnector): Promise<Listing> {
  const { system, route } = found.manifest;
  const row = { target: found.name, system, route };
  try {
    const availability = await probe(await loadConnector(found), probedOptions);
    if (!availability.available) {
      return { ...row, available: false, reason: availability.reason, remedy: availability.remedy };
    }
    const { version } = availability;
    return version === null ? { ...row, available: true } : { ...row, available: true, version };
  } catch (error) {
    const remedy = `mend the package of ${found.manifestPath}`;
    return { ...row, available: false, reason: messageOf(error), remedy };
  }
}
