import { faultsShareMaxDefault, inDoubtShareMaxDefault } from '@fair-bench/results';
import { shareText, wholeNumberText } from './option-values.ts';
import { type OptionGroup, optionTexts as texts } from './option-texts.ts';

/** What voids a trial by its counts, and what is measured again. */
export const voidOptions = {
  inDoubtMax: shareText(0)
    .prefault(`${inDoubtShareMaxDefault * 100}%`)
    .register(texts, {
      argument: 'percent',
      meaning: 'a trial with more operations in doubt (sent, never answered) is void',
    }),
  faultsMax: shareText(0)
    .prefault(`${faultsShareMaxDefault * 100}%`)
    .register(texts, {
      argument: 'percent',
      meaning: 'a trial with more faults among the operations of its window is void',
    }),
  measureAgain: wholeNumberText(0, 10).prefault('2').register(texts, {
    argument: 'times',
    meaning:
      'measure a trial again, at most so often, when the machine disturbed it or alone may have voided it (`0`: never)',
  }),
} satisfies OptionGroup;
