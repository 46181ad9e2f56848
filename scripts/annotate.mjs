// Annotations of GitHub for a comparison of two targets, from its summary.json: one line for each comparison, and for what is void.
// Runs on any Node.js, and needs no package.
import { existsSync, readFileSync } from 'node:fs';

const [path = ''] = process.argv.slice(2);
if (!existsSync(path)) say('error', 'Nothing was measured', 'the log of the step before says why');
else report(JSON.parse(readFileSync(path, 'utf8')));

function report({ comparisons, cells }) {
  for (const { baseline, contender, ratio, ci95, significant, belowNoiseFloor } of comparisons) {
    const range = ci95 === null ? 'one round, no interval' : `95 %: ${ci95.map(short).join(' to ')}`;
    const text = `${contender} does ${short(ratio)} × the operations of ${baseline} (${range})`;
    // What differs less than one target does from itself here is no difference.
    if (!significant || belowNoiseFloor === true) say('notice', 'No difference was found', text);
    else if (ratio < 1) say('warning', 'Slower', text);
    else say('notice', 'Faster', text);
  }
  for (const cell of cells) {
    if (cell.status !== 'ok') say('warning', `Not measured: ${cell.target}`, cell.reason);
  }
}

function short(number) {
  return String(Number(number.toPrecision(3)));
}

/** By https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands. */
function say(level, title, text) {
  const escape = (value) => value.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const property = (value) => escape(value).replaceAll(':', '%3A').replaceAll(',', '%2C');
  process.stdout.write(`::${level} title=${property(title)}::${escape(text)}\n`);
}
