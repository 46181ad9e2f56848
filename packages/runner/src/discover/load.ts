import { pathToFileURL } from 'node:url';
import {
  type Connector,
  InputError,
  type JsonObject,
  type Route,
  type RouteDefinition,
  type Workload,
  jsonObjectSchema,
  messageOf,
  routeOf,
} from '@fair-bench/contract';
import type { FoundConnector, FoundWorkload } from './workspace.ts';

/** A workload whose own types only its package knows. */
export type AnyWorkload = Workload<unknown, unknown, unknown>;

export interface LoadedWorkload {
  readonly found: FoundWorkload;
  readonly workload: AnyWorkload;
  /** What a plan says where the user did not: the package's export `defaultParameters`. */
  readonly defaultParameters: JsonObject;
}

/**
 * Imports a route's control plane from the default export of its connector's package. An InputError names the package
 * when it cannot be imported or is not the connector that its manifest announces.
 */
export async function loadConnector(found: FoundConnector): Promise<Route> {
  const connector = (await importModule(found.modulePath, found.manifestPath))['default'];
  if (!isConnector(connector)) {
    throw new InputError(
      `${found.name}: the default export of ${found.modulePath} is no connector: export default defineConnector({ system, fairProfile, routes: { <route>: { probe, provision } } })`,
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

/** Imports a workload: the default export of its package. Fails as loadConnector does. */
export async function loadWorkload(found: FoundWorkload): Promise<LoadedWorkload> {
  const module = await importModule(found.modulePath, found.manifestPath);
  const workload = module['default'];
  if (!isWorkload(workload) || workload.name !== found.name) {
    throw new InputError(
      `${found.name}: the default export of ${found.modulePath} is not the workload that ${found.manifestPath} announces`,
    );
  }
  return { found, workload, defaultParameters: jsonObjectSchema.parse(module['defaultParameters'] ?? {}) };
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

const workloadMethods = [
  'parseParameters',
  'createOperation',
  'createStream',
  'createLedger',
  'accessOf',
  'seed',
  'audit',
] as const;

function isWorkload(value: unknown): value is AnyWorkload {
  return (
    isRecord(value) &&
    typeof value['name'] === 'string' &&
    workloadMethods.every((method) => typeof value[method] === 'function')
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
