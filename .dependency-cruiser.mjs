/** What may import what: arrows go one way, and no folder is in a circle. ARCHITECTURE.md has the picture. */
const shipped = '^(packages|rpc-servers|tools|workloads)/(?!.*(test|test-support)/)';
/** A package of ours may import the ones after it, never the other way round. */
const mayImport = {
  contract: [],
  workload: ['contract'],
  results: ['contract', 'workload'],
  supervisor: ['contract'],
  session: ['contract'],
  rpc: ['contract', 'session', 'supervisor', 'workload'],
  sql: ['contract', 'rpc', 'session', 'supervisor'],
  mysql: ['contract', 'rpc', 'session', 'sql', 'supervisor'],
  'key-value': ['contract', 'session', 'supervisor', 'workload'],
  engine: ['contract', 'supervisor', 'workload'],
  'native-engine': ['contract', 'engine', 'native-client', 'supervisor', 'workload'],
  'load-client': ['contract', 'workload', 'results'],
  'native-client': ['contract', 'results', 'supervisor'],
  'load-agent': ['contract', 'results', 'supervisor', 'load-client', 'native-client'],
  analysis: ['contract', 'workload', 'results', 'load-client'],
  report: ['contract', 'results', 'analysis', 'load-client'],
  runner: [
    'contract',
    'workload',
    'results',
    'supervisor',
    'load-client',
    'native-client',
    'load-agent',
    'analysis',
    'report',
  ],
  'connector-[^/]+': [
    'contract',
    'engine',
    'key-value',
    'mysql',
    'native-engine',
    'rpc',
    'session',
    'sql',
    'supervisor',
    'workload',
  ],
};

export default {
  forbidden: [
    {
      name: 'no-circle-of-files',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-circle-of-folders',
      comment: 'Two folders that import each other are one: merge them, or move what both need below both.',
      severity: 'error',
      scope: 'folder',
      from: { path: shipped },
      to: { circular: true },
    },
    ...Object.entries(mayImport).map(([name, allowed]) => ({
      name: `arrows-of-${name.replace(/[^a-z-]/g, '')}`,
      comment: `packages/${name} may import ${allowed.join(', ') || 'no package of ours'}`,
      severity: 'error',
      from: { path: `^packages/(${name})/src/`, pathNot: 'test-support/' },
      to: {
        path: '^(packages|tools)/',
        pathNot: [`^packages/$1/`, ...allowed.map((other) => `^packages/${other}/`)],
      },
    })),
    {
      name: 'nothing-imports-tools',
      severity: 'error',
      from: { pathNot: '^tools/' },
      to: { path: '^tools/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.wasm$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
