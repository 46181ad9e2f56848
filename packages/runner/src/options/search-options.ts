import { z } from 'zod';
import { type OptionGroup, optionTexts as texts } from './option-texts.ts';
import { durationText, shareText } from './option-values.ts';

/** Of every command that measures a plan. */
export const quick = z.boolean().prefault(false).register(texts, {
  argument: null,
  meaning:
    'a first look in at most 90 seconds after set-up, with wide intervals; without --systems, of two available systems; of systems that are named, as many routes as fit',
});

/** Of optimized mode: what its search looks for. */
export const searchOptions = {
  zone: shareText(0.1, 50).prefault('5%').register(texts, {
    argument: 'percent',
    meaning:
      'in optimized mode: points this close to the fastest are as good, and the one with the fewest operations in flight is the best; less than that costs latency and gains what two runs may differ by',
  }),
  p99Max: durationText(1).optional().register(texts, {
    argument: 'time',
    meaning:
      'in optimized mode: the best point is the fastest with at most this p99, such as `20ms`; an open loop confirms it',
    otherwise: 'no bound',
  }),
  continue: z.string().optional().register(texts, {
    argument: 'run',
    meaning: 'in optimized mode: go on from the search of that run, by its folder or its name in `results/`',
    otherwise: 'a new search',
  }),
} satisfies OptionGroup;
