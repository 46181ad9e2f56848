import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { z } from 'zod';

const require = createRequire(import.meta.url);
const root = new URL('../../../../', import.meta.url);

/** A path of the repository as a path of this machine. */
export function pathOf(path: string): string {
  return fileURLToPath(new URL(path, root));
}

export function textOf(path: string): string {
  return readFileSync(pathOf(path), 'utf8');
}

/** A YAML file, anchors and merge keys resolved. */
export function yamlOf(path: string): unknown {
  return parse(textOf(path), { merge: true });
}

/** The errors of a file by the schema of that name in the schema store; null when it is valid. */
export function complaintOf(path: string, schemaName: string): string | null {
  const { $schema: _dialect, ...schema } = z
    .looseObject({ $schema: z.string() })
    .parse(require(`schemastore/schemas/json/${schemaName}.json`));
  // Some use a dialect that differs only in the names of its parts.
  const ajv = new Ajv({ strict: false, allErrors: true }).removeKeyword('id');
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  return validate(yamlOf(path)) ? null : JSON.stringify(validate.errors, null, 2);
}

const serviceSchema = z.looseObject({
  image: z.string().optional(),
  build: z.unknown().optional(),
  command: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  ports: z.array(z.string()).default([]),
  profiles: z.array(z.string()).default([]),
  healthcheck: z.looseObject({ test: z.array(z.string()) }).optional(),
  labels: z.record(z.string(), z.string()).default({}),
  cpus: z.union([z.string(), z.number()]).optional(),
  mem_limit: z.string().optional(),
  memswap_limit: z.string().optional(),
  extends: z.strictObject({ file: z.string(), service: z.string() }).optional(),
});
export type Service = z.infer<typeof serviceSchema>;

const stackSchema = z.looseObject({
  services: z.record(z.string(), serviceSchema),
  volumes: z.record(z.string(), z.unknown()),
});

/** The services of a compose file as they stand there. */
export function servicesOf(path: string): ReadonlyMap<string, Service> {
  return new Map(Object.entries(stackSchema.parse(yamlOf(path)).services));
}
