import { z } from 'zod';
import { type OptionGroup, optionTexts as texts } from './option-texts.ts';

export const newConnectorOptions = {
  sql: z.boolean().prefault(false).register(texts, {
    argument: null,
    meaning: 'for a server with SQL, by its driver',
    otherwise: 'any other system',
  }),
  embedded: z.boolean().prefault(false).register(texts, {
    argument: null,
    meaning: 'for an engine with SQL inside one process, which alone owns its files',
    otherwise: 'any other system',
  }),
  keyValue: z.boolean().prefault(false).register(texts, {
    argument: null,
    meaning: 'for a key-value server with scripts or transactions of its own',
    otherwise: 'any other system',
  }),
} satisfies OptionGroup;

export const newWorkloadOptions = {
  at: z.string().min(1).optional().register(texts, {
    argument: 'folder',
    meaning: "where the workload's folder goes, which may be outside the repository",
    otherwise: '`workloads/`',
  }),
} satisfies OptionGroup;
