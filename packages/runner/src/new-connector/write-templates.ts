import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const suffix = '.template';

/**
 * Writes the templates of a folder under `directory`, without their suffix: `__KEY__` becomes the value of KEY.
 * @param edited the text of a file as it is written.
 */
export async function writeTemplates(
  templates: string,
  directory: string,
  values: Readonly<Record<string, string>>,
  edited = (text: string): string => text,
): Promise<void> {
  const files = await readdir(templates, { recursive: true });
  for (const file of files.filter((name) => name.endsWith(suffix))) {
    const path = join(directory, file.slice(0, -suffix.length));
    const template = await readFile(join(templates, file), 'utf8');
    await mkdir(dirname(path), { recursive: true });
    const text = template.replaceAll(/__([A-Z]+)__/g, (whole, key: string) => values[key] ?? whole);
    await writeFile(path, edited(text));
  }
}
