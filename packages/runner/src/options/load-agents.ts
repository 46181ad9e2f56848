import { resolve } from 'node:path';
import { InputError } from '@fair-bench/contract';
import { type NatsAccess, natsUrl } from '@fair-bench/load-agent';
import { type OptionGroup, optionTexts as texts } from './option-texts.ts';
import { z } from 'zod';
import { optionText } from './option-values.ts';

/** `--load-agents`: a number of agents, or their names. */
export type WantedAgents =
  | { readonly kind: 'count'; readonly count: number }
  | { readonly kind: 'names'; readonly names: readonly string[] };

export interface LoadAgentsSetting {
  readonly access: NatsAccess;
  readonly wanted: WantedAgents;
}

export interface LoadAgentsOptions {
  readonly loadAgents?: WantedAgents | undefined;
  readonly nats?: string | undefined;
  readonly natsAuth?: string | undefined;
}

/** `--load-agents`, `--nats` and `--nats-auth` together; null without them. */
export function loadAgentsSetting({
  loadAgents,
  nats,
  natsAuth,
}: LoadAgentsOptions): LoadAgentsSetting | null {
  if (loadAgents === undefined && nats === undefined && natsAuth === undefined) return null;
  if (loadAgents === undefined)
    throw new InputError('--nats: needs --load-agents, which says how many or which');
  if (nats === undefined) throw new InputError('--load-agents: needs --nats URL, where the agents are found');
  return {
    access: { url: nats, authFile: natsAuth === undefined ? null : resolve(natsAuth) },
    wanted: loadAgents,
  };
}

const agentName = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
/** A number of load agents, or their names. */
const wantedAgentsText = optionText(
  'a number from 1 to 1000, or names by commas, each once',
  (text): WantedAgents | null => {
    if (/^[1-9]\d{0,2}$|^1000$/.test(text)) return { kind: 'count', count: Number(text) };
    const names = text.split(',');
    const isGood = names.every((name) => agentName.test(name)) && new Set(names).size === names.length;
    return isGood ? { kind: 'names', names } : null;
  },
);

/** Of every command that measures. */
export const loadAgentOptions = {
  loadAgents: wantedAgentsText.optional().register(texts, {
    argument: 'agents',
    meaning:
      'load from other machines: so many agents, or their names by commas; see docs/several-machines.md',
    otherwise: 'load clients on this machine',
  }),
  nats: optionText(
    'nats://HOST:PORT or tls://HOST:PORT without a password, which goes to --nats-auth',
    natsUrl,
  )
    .optional()
    .register(texts, { argument: 'url', meaning: 'where load agents are found' }),
  natsAuth: z.string().min(1).optional().register(texts, {
    argument: 'file',
    meaning: 'credentials and certificates for it, as JSON',
  }),
} satisfies OptionGroup;
