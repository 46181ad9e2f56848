import type { CellSummary, RunSummary } from '@fair-bench/results';
import { XMLBuilder } from 'fast-xml-parser';
import { cellText } from './cell-text.ts';

const attribute = '@';
type Element = Readonly<Record<string, unknown>>;

/**
 * A test report as most CI systems read it (https://github.com/testmoapp/junitxml): a case for the verdict, which fails where the
 * comparison was not fair, and one for each cell, which fails where it is void and is skipped where it has no number for another reason.
 */
export function junitXml(summary: RunSummary): string {
  const { run, verdict, cells } = summary;
  const suite = `fair-bench ${run.mode} ${run.workload}`;
  const cases = [verdictCase(suite, verdict), ...cells.map((cell) => cellCase(suite, cell))];
  const count = (part: string): number => cases.filter((one) => part in one).length;
  const numbers = {
    [`${attribute}tests`]: cases.length,
    [`${attribute}failures`]: count('failure'),
    [`${attribute}skipped`]: count('skipped'),
    [`${attribute}errors`]: 0,
    [`${attribute}time`]: (Date.parse(run.endedAt) - Date.parse(run.startedAt)) / 1000,
  };
  const builder = new XMLBuilder({
    attributeNamePrefix: attribute,
    ignoreAttributes: false,
    format: true,
    suppressEmptyNode: true,
  });
  return builder.build({
    '?xml': { [`${attribute}version`]: '1.0', [`${attribute}encoding`]: 'UTF-8' },
    testsuites: {
      ...numbers,
      testsuite: {
        [`${attribute}name`]: suite,
        ...numbers,
        [`${attribute}timestamp`]: run.startedAt.replace(/Z$/, ''),
        testcase: cases,
      },
    },
  });
}

function verdictCase(suite: string, { label, differences }: RunSummary['verdict']): Element {
  const broken = differences.map(({ rule, message }) => `${rule}: ${message}`);
  return {
    ...named(suite, 'the comparison is fair'),
    ...(label === 'NOT FAIR' ? failed(label, broken.join('\n')) : { 'system-out': label }),
  };
}

function cellCase(suite: string, cell: CellSummary): Element {
  const name = named(suite, cell.id);
  if (cell.status === 'ok') return { ...name, 'system-out': cellText(cell) };
  if (cell.status === 'void') return { ...name, ...failed('void', cell.reason) };
  return { ...name, skipped: { [`${attribute}message`]: `${cell.status}: ${cell.reason}` } };
}

function named(suite: string, name: string): Element {
  return { [`${attribute}classname`]: suite, [`${attribute}name`]: name };
}

function failed(message: string, text: string): Element {
  return { failure: { [`${attribute}message`]: message, '#text': text } };
}
