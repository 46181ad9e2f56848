import { brotliDecompressSync } from 'node:zlib';
import { z } from 'zod';

/** What `convex deploy` pushed: the modules by their paths, with the source that the backend would run. */
export type Push = ReadonlyMap<string, string>;

const moduleSchema = z.object({ path: z.string(), source: z.string() });
const pushSchema = z.object({
  appDefinition: z.object({ changedModules: z.array(moduleSchema), schema: moduleSchema.nullable() }),
});

export function readPush(body: Buffer): Push {
  const { changedModules, schema } = pushSchema.parse(
    JSON.parse(brotliDecompressSync(body).toString()),
  ).appDefinition;
  const modules = [...changedModules, ...(schema === null ? [] : [schema])];
  return new Map(modules.map(({ path, source }) => [path, source]));
}

/** A backend's answers to the steps of a successful push. */
export const pushReplies: Readonly<Record<string, unknown>> = {
  '/api/deploy2/start_push': {
    environmentVariables: {},
    externalDepsId: null,
    componentDefinitionPackages: {},
    appAuth: [],
    analysis: {},
    app: {
      definitionPath: '',
      componentPath: '',
      args: {},
      childComponents: {},
      httpRoutes: { httpModuleRoutes: null, mounts: [] },
      exports: {},
    },
    schemaChange: { allocatedComponentIds: {}, schemaIds: {} },
  },
  '/api/deploy2/evaluate_push': { schemaChange: { allocatedComponentIds: {}, schemaIds: {} } },
  '/api/deploy2/wait_for_schema': { type: 'complete' },
  '/api/deploy2/finish_push': {
    authDiff: { added: [], removed: [] },
    definitionDiffs: {},
    componentDiffs: {},
  },
  '/api/deploy2/report_push_completed': {},
  '/api/get_config_hashes': { config: { functions: 'src/functions/' }, moduleHashes: [] },
};
