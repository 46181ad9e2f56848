import { typedCommand } from '@fair-bench/contract';
import type { PlannedTarget } from '@fair-bench/results';
import type { TargetDefinition } from '../targets/definition.ts';
import { budgetMsDefault } from './assemble-plan.ts';

/** With fewer rounds, contrasts as noisy as those of the README's table are wider than × 1.2 on each side. */
const roundsOfContrast = 4;
/** A comparison has two. */
const targetsLeast = 2;

type LeftOut = NonNullable<PlannedTarget['leftOut']>;

interface Crowd {
  /** Available here. */
  readonly targets: readonly TargetDefinition[];
  readonly budgetMs?: number | undefined;
  /** The command's name and its arguments, as given. */
  readonly command: readonly string[];
  /** How long these targets are expected to take in so many rounds. */
  readonly needMs: (targets: readonly TargetDefinition[], rounds: number) => number;
}

/**
 * The targets that the budget cannot hold beside the others with enough rounds for each: further routes of a system
 * before its first one, later systems before earlier ones. Two targets always stay.
 */
export function leaveOut({ targets, command, needMs, ...given }: Crowd): ReadonlyMap<string, LeftOut> {
  const { budgetMs = budgetMsDefault } = given;
  const placeOf = (target: TargetDefinition): number =>
    targets.filter(({ system }) => system === target.system).indexOf(target);
  const kept: TargetDefinition[] = [];
  for (const target of targets.toSorted((a, b) => placeOf(a) - placeOf(b))) {
    const isHeld = needMs([...kept, target], roundsOfContrast) <= budgetMs;
    if (kept.length < targetsLeast || isHeld) kept.push(target);
  }
  const neededSeconds = Math.ceil(needMs(targets, roundsOfContrast) / 10_000) * 10;
  const seconds = Math.round(budgetMs / 1000);
  const reason = `${seconds} s are too short for ${roundsOfContrast} rounds of ${targets.length} targets`;
  const remedy = commandWith(without(command, '--budget'), `--budget ${neededSeconds}s`);
  const left = targets.filter((target) => !kept.includes(target));
  return new Map(left.map(({ target }) => [target, { reason, remedy }]));
}

/** One sentence for the targets of one reason. */
export function leftOutNotes(left: ReadonlyMap<string, LeftOut>): readonly string[] {
  const [first] = left.values();
  if (first === undefined) return [];
  return [`Left out: ${[...left.keys()].join(', ')}: ${first.reason}. All of them: ${first.remedy}`];
}

/** The command that was given, with more options. */
export function commandWith([name = 'fair-bench', ...words]: readonly string[], options: string): string {
  const given = without(words, '--out').map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`));
  return typedCommand(name, [...given, options]);
}

/** The words without this option and its value. */
export function without(command: readonly string[], option: string): readonly string[] {
  return command.filter(
    (word, index) => command[index - 1] !== option && word !== option && !word.startsWith(`${option}=`),
  );
}
