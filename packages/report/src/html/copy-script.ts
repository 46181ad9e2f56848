import { createHash } from 'node:crypto';

/** The page's only script: copies the numbers behind a chart, exact ones where there are some. */
export const copyScript = `
document.addEventListener('click', async ({ target }) => {
  const button = target.closest('button[data-as]');
  if (button === null) return;
  const textOf = (cell) => cell.querySelector('data')?.value ?? cell.textContent.trim();
  const rows = [...button.closest('figure').querySelectorAll('tr')].map((row) => [...row.children].map(textOf));
  const quoted = (text) => (/[",\\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text);
  const line = (texts) => '| ' + texts.map((text) => text.replaceAll('|', '\\\\|')).join(' | ') + ' |';
  const [head, ...body] = rows;
  const markdown = [line(head), line(head.map(() => '---')), ...body.map(line)];
  const csv = rows.map((row) => row.map(quoted).join(','));
  await navigator.clipboard.writeText((button.dataset.as === 'csv' ? csv : markdown).join('\\n'));
  button.textContent = 'Copied';
});
`;

/** What the page's policy lets run: this script and no other. */
export const copyScriptSource = `'sha256-${createHash('sha256').update(copyScript).digest('base64')}'`;
