import { directCountMax } from './draw/scale.ts';
import type { Declaration, Draw, Instruction, StreamProgram, Value } from './stream-program.ts';

/** The body of a function of `tools`, `supplies`, `random`, `session` and `sessions` that returns a session's `next`. */
export function printProgram({ head, operations }: StreamProgram): string {
  const functions = operations.map(({ number, body }) => `function draw${number}(v) {\n${printAll(body)}}\n`);
  return [
    "'use strict';\nconst { scale, foldItem, distinctIndex, operationOrigin, LatestRanks } = tools;\n",
    ...[...head.values()].map(printDeclaration),
    ...functions,
    `return function next(slots) {\n${head.has('sequence') ? '  sequence += 1;\n' : ''}${printChoice(operations)}};\n`,
  ].join('');
}

function printDeclaration(declaration: Declaration): string {
  switch (declaration.kind) {
    case 'sequence':
      return 'let sequence = -1;\n';
    case 'first':
      return 'const first = BigInt(session) << 32n;\n';
    case 'supply':
      return `const ${declaration.name} = supplies.items[${declaration.number}];\n`;
    case 'inserts':
      return `let ${declaration.name} = 0;\n`;
    case 'latest': {
      const { name, exponent, rows } = declaration;
      return `const ${name} = new LatestRanks(${exponent}, ${rows});\n`;
    }
    default:
      return declaration satisfies never;
  }
}

/** Draws which operation is next, by their weights. */
function printChoice(operations: StreamProgram['operations']): string {
  const calls = operations.map(({ number }) => `draw${number}(slots[${number}]); return ${number};`);
  if (calls.length === 1) return `  ${calls[0]}\n`;
  const total = operations.reduce((sum, { weight }) => sum + weight, 0);
  let before = 0;
  const cases = operations.map(({ weight }, index) => {
    before += weight;
    const condition = index === operations.length - 1 ? '' : `if (x < ${before}) `;
    return `  ${condition}{ ${calls[index]} }\n`;
  });
  return `  const x = ${oneOf(total)};\n${cases.join('')}`;
}

function printAll(instructions: readonly Instruction[]): string {
  return instructions.map(printInstruction).join('');
}

function printInstruction(one: Instruction): string {
  switch (one.kind) {
    case 'draw':
      return `  const ${one.to} = ${printDraw(one.by)};\n`;
    case 'draw-distinct':
      return `  const ${one.to} = distinctIndex(${one.taken}, i, () => ${printDraw(one.by)});\n`;
    case 'draw-other':
      return `  let ${one.to} = ${oneOf(one.count - 1)};\n  if (${one.to} >= ${one.other}) ${one.to} += 1;\n`;
    case 'draw-other-rank': {
      const { to, by, rest, other } = one;
      // "Redraw until it is not rank 1" in one draw: at a high exponent nearly every redraw would be rank 1.
      return `  let ${to};\n  if (${other} === 0) ${to} = ${printDraw(rest)};\n  else do ${to} = ${printDraw(by)}; while (${to} === ${other});\n`;
    }
    case 'fresh':
      return `  const ${one.to} = supplies.keyOf(${one.rows} + ${one.inserts}++ * sessions + session);\n`;
    case 'latest':
      return `  const ${one.to} = ${one.ranks}.draw(random, ${one.inserts}, sessions, session);\n`;
    case 'session':
      return `  const ${one.to} = session % ${one.count};\n`;
    case 'chance':
      return `  const ${one.to} = ${oneOf(100)} < ${one.percent} ? 1 : 0;\n`;
    case 'nurand': {
      const { to, a, c, min, count } = one;
      return `  let ${to} = ${oneOf(a + 1)};\n  ${to} = (((${to} | (${min} + ${oneOf(count)})) >>> 0) + ${c}) % ${count};\n`;
    }
    case 'either': {
      const { to, flag, same, count, differs } = one;
      if (!differs) return `  const ${to} = ${flag} === 1 ? ${same} : ${oneOf(count)};\n`;
      if (count === 1) return `  const ${to} = ${same};\n`;
      return `  let ${to} = ${same};\n  if (${flag} !== 1) {\n    ${to} = ${oneOf(count - 1)};\n    if (${to} >= ${same}) ${to} += 1;\n  }\n`;
    }
    case 'write':
      return `  ${one.target} = ${printValue(one.value, one.target)};\n`;
    case 'list': {
      const { slot, min, max, body } = one;
      const length = min === max ? `${min}` : `${min} + ${oneOf(max - min + 1)}`;
      const begin = `  const n${slot} = ${length}, f${slot} = v[${slot}].fields;\n  v[${slot}].length = n${slot};\n`;
      return `${begin}  for (let i = 0; i < n${slot}; i += 1) {\n${printAll(body)}  }\n`;
    }
    default:
      return one satisfies never;
  }
}

function printDraw(draw: Draw): string {
  if (draw.kind === 'word') return 'random.nextInt32()';
  return draw.kind === 'one-of' ? oneOf(draw.count) : `${draw.name}.draw(random)`;
}

function printValue(value: Value, target: string): string {
  if (value.kind === 'drawn') return value.index;
  if (value.kind === 'flag') return `${value.index} === 1`;
  if (value.kind === 'text-of') return `${value.texts}[${value.index}]`;
  if (value.kind === 'operation') return 'first + BigInt(sequence)';
  if (value.kind === 'content') {
    const { pool, length, place, index } = value;
    const written = `operationOrigin(session, ${place}), sequence | 0, ${index}`;
    return length === 'in-place'
      ? `${pool}.writeBytes(${target}, ${written})`
      : `${pool}.text(${length}, ${written})`;
  }
  const { rank, min, as } = value;
  const index = rank === null ? value.index : printRank(rank, value.index);
  if (as === 'bigint') return `${min}n + BigInt(${index})`;
  if (as !== 'number' && as !== 'bool') return `${as.table}[${index}]`;
  const number = min === 0n ? index : `${min} + ${index}`;
  return as === 'bool' ? `${number} !== 0` : number;
}

function printRank({ permutation }: { readonly permutation: string | null }, index: string): string {
  return permutation === null ? `(${index} >>> 0)` : `(${permutation}.apply(${index}) >>> 0)`;
}

/** An expression for ⌊word · count / 2³²⌋. */
function oneOf(count: number): string {
  const word = 'random.nextInt32()';
  if (count === 2 ** 32) return `(${word} >>> 0)`;
  if (count > directCountMax) return `scale(${word}, ${count})`;
  return `Math.floor((${word} >>> 0) * ${count} / 4294967296)`;
}
