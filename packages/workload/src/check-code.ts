import type { Checker } from './checker.ts';
import { isList, type Generator, type WorkloadDescription } from './schema.ts';

/** What a workload in code may have: its functions say what operations do, and its tables what they begin with. */
export function checkCode(checker: Checker, description: WorkloadDescription): void {
  const inCode = description.operations.some(({ code }) => code !== undefined);
  for (const { name, columns, firsts } of description.tables) {
    if (inCode) continue;
    const path = ['tables', name];
    if (firsts?.some((first) => first !== 0) === true)
      checker.fail([...path, 'firsts'], 'only a workload in code has keys that do not begin with 0');
    for (const column of columns) {
      if (column.generator.kind === 'code')
        checker.fail([...path, column.name], 'seeded by a function; only a workload in code has them');
      if (column.nullable === true)
        checker.fail([...path, column.name], 'may be null; only a workload in code has such columns');
    }
  }
  for (const { name, type, stored, nullable } of description.tables.flatMap(({ columns }) => columns)) {
    const isUuid = stored?.kind === 'uuid';
    if (isUuid && (type.kind !== 'key' || nullable === true))
      checker.fail(['tables', name], 'a UUID is a column of type key, and not null');
    if (((stored !== undefined && !isUuid) || nullable !== undefined) && type.kind !== 'int64')
      checker.fail(['tables', name], 'a decimal, a time and what may be null are columns of type int64');
    if (stored?.kind === 'decimal' && stored.scale > stored.precision)
      checker.fail(
        ['tables', name],
        `decimal(${stored.precision}, ${stored.scale}): more digits after the point than it has`,
      );
  }
  if (!inCode) return;
  for (const operation of description.operations) {
    const path = ['operations', operation.name];
    const { code, rows, declines, effects, returns, weight } = operation;
    if (code === undefined) {
      if (weight !== 0)
        checker.fail(path, 'is not in code; either all operations of a workload are, or none');
      continue;
    }
    if (rows.length > 0 || declines.length > 0 || effects.length > 0)
      checker.fail(
        path,
        'is in code: its function says which rows it finds, when it declines and what it changes',
      );
    if (!['nothing', 'fields', 'records'].includes(returns.kind))
      checker.fail([...path, 'returns'], 'an operation in code returns fields or records');
    for (const table of Object.keys(code.writes)) checker.table([...path, 'code', 'writes'], table);
    if (Object.keys(code.writes).length === 0 && returns.kind === 'nothing')
      checker.fail(path, 'writes nothing and returns nothing: nothing could be audited');
  }
}

/** That `either` names a bool before it, and an argument with the same values. */
export function checkEither(checker: Checker, description: WorkloadDescription): void {
  for (const { name, arguments: all } of description.operations) {
    for (const [place, argument] of all.entries()) {
      const path = ['operations', name, 'arguments', argument.name];
      const before = all.slice(0, place);
      const check = (
        generator: Generator,
        fields: readonly { readonly name: string; readonly generator: Generator }[],
        list: string | null,
      ): void => {
        if (generator.kind !== 'either') return;
        const flags =
          list === null ? before : fields.map((field) => ({ ...field, name: `${list}.${field.name}` }));
        const flag = flags.find((each) => each.name === generator.flag);
        const isFlag = flag !== undefined && 'generator' in flag && flag.generator.kind === 'chance';
        if (!isFlag) checker.fail([...path, 'flag'], `a bool by chance() before it, got "${generator.flag}"`);
        const same = before.find((each) => each.name === generator.same);
        const isSame =
          same !== undefined &&
          !isList(same) &&
          'over' in same.generator &&
          JSON.stringify(same.generator.over) === JSON.stringify(generator.over);
        if (!isSame)
          checker.fail(
            [...path, 'same'],
            `an argument before it over the same values, got "${generator.same}"`,
          );
      };
      if (isList(argument)) {
        for (const [at, field] of argument.fields.entries())
          check(field.generator, argument.fields.slice(0, at), argument.name);
      } else check(argument.generator, [], null);
    }
  }
}
