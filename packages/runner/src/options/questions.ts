import { typedCommand } from '@fair-bench/contract';

const questions: readonly (readonly [string, string, ...string[]])[] = [
  ['How do the systems compare under equal terms?', 'fair-bench'],
  ['How fast is each system at its best?', 'bench', '--mode', 'optimized'],
  ['Does a published claim hold on this machine?', 'bench', '--mode', 'published', '--claim', 'pr-4432'],
  ['What is a gap made of?', 'explain', '--claim', 'keynote-2-2026-05'],
  ['How isolated are its transactions?', 'fair-bench', '--workload', 'isolation'],
];

/** What a call without a command shows: questions, each with its command. */
export function questionsText(): string {
  const width = Math.max(...questions.map(([question]) => question.length));
  return [
    'Fair Bench says where a performance gap between two databases comes from.',
    '',
    ...questions.map(([question, name, ...words]) => {
      // The plain run has no words of its own, and a call without any is this text.
      const typed = typedCommand(name, words.length === 0 ? ['--budget', '5m'] : words);
      return `  ${question.padEnd(width)}  ${typed}`;
    }),
    '',
    `What can be measured here: ${typedCommand('list')}. Your own transaction: ${typedCommand('init')}. All options: --help after a command.`,
  ].join('\n');
}
