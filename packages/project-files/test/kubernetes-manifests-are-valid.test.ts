import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { textOf } from './support/project-file.ts';

const documentSchema = z.looseObject({ kind: z.enum(['Namespace', 'Deployment']) });
const documents = parseAllDocuments(textOf('deploy/kubernetes/load-agents.yaml')).map((document) =>
  documentSchema.parse(document.toJS()),
);

/** Throws with the place when a document does not fit Kubernetes' own schema. */
function validate(document: z.infer<typeof documentSchema>): void {
  if (document.kind === 'Namespace') Object.assign(new Namespace(), document).validate();
  else deploymentOf(document).validate();
}

function deploymentOf(document: object): Deployment {
  // Its constructor accepts the document; its validation judges it.
  return Object.assign(new Deployment(), document);
}

test('every manifest fits the schema of Kubernetes', () => {
  expect(documents.map(({ kind }) => kind)).toEqual(['Namespace', 'Deployment']);
  for (const document of documents) expect(() => validate(document)).not.toThrow();
});

test('a field that Kubernetes does not know, or of another type, is refused', () => {
  const wrong = { ...documents[1], kind: 'Deployment' as const, spec: { replicas: 'four' } };
  expect(() => validate(wrong)).toThrow('replicas');
});

test('agents have exclusive processors, the host network, and no rights', () => {
  const { spec } = deploymentOf(documents[1] ?? {});
  const pod = spec?.template.spec;
  const [container] = pod?.containers ?? [];
  expect(pod?.hostNetwork).toBe(true);
  expect(pod?.automountServiceAccountToken).toBe(false);
  expect(container?.resources?.requests).toEqual(container?.resources?.limits);
  expect(String(container?.resources?.limits?.['cpu'])).toMatch(/^\d+$/);
  expect(container?.args).not.toContain(expect.stringContaining('password'));
});
