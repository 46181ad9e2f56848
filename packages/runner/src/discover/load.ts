import { pathToFileURL } from 'node:url';
import {
  type Connector,
  InputError,
  type Route,
  type RouteDefinition,
  messageOf,
  routeOf,
} from '@fair-bench/contract';
import type { FoundConnector } from './workspace.ts';

export interface LoadedConnector {
  readonly found: FoundConnector;
  readonly connector: Route;
}

/** The module whose sessions tests of durability use: that of the Node load client, or what takes its place; null where neither is. */
export function sessionsPathOf({ found, connector }: LoadedConnector): string | null {
  return found.nodeClientPath ?? connector.sessionsPath ?? null;
}

/** Connectors by their names. Rejects as `loadConnector` does. */
export async function loadConnectors(
  all: readonly FoundConnector[],
): Promise<ReadonlyMap<string, LoadedConnector>> {
  const loaded = new Map<string, LoadedConnector>();
  for (const found of all) loaded.set(found.name, { found, connector: await loadConnector(found) });
  return loaded;
}

/**
 * Imports a route's control plane, the default export of its connector's package. An InputError names the package
 * when it cannot be imported, or is not the connector that its manifest declares.
 */
export async function loadConnector(found: FoundConnector): Promise<Route> {
  const connector = (await importModule(found.modulePath, found.manifestPath))['default'];
  if (!isConnector(connector)) {
    throw new InputError(
      `${found.name}: the default export of ${found.modulePath} is not a connector: export default defineConnector({ system, fairProfile, routes: { <route>: { probe, provision } } })`,
    );
  }
  const { system, route } = found.manifest;
  if (connector.system !== system || !Object.hasOwn(connector.routes, route)) {
    const routes = Object.keys(connector.routes).join(', ');
    throw new InputError(
      `${found.modulePath}: the connector is of "${connector.system}" with the routes ${routes}; ${found.manifestPath} announces "${found.name}"`,
    );
  }
  return routeOf(connector, route);
}

async function importModule(modulePath: string, manifestPath: string): Promise<Record<string, unknown>> {
  try {
    const module: unknown = await import(pathToFileURL(modulePath).href);
    return isRecord(module) ? module : {};
  } catch (error) {
    const reason = messageOf(error);
    throw new InputError(`${manifestPath}: cannot import ${modulePath}: ${reason}`, { cause: error });
  }
}

function isConnector(value: unknown): value is Connector {
  return (
    isRecord(value) &&
    typeof value['system'] === 'string' &&
    Array.isArray(value['fairProfile']) &&
    isRecord(value['routes']) &&
    Object.values(value['routes']).every(isRoute)
  );
}

function isRoute(value: unknown): value is RouteDefinition {
  return isRecord(value) && typeof value['probe'] === 'function' && typeof value['provision'] === 'function';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
