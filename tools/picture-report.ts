import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

/**
 * Takes the pictures of a report for the documentation: `node picture-report.ts REPORT.html CHROMIUM FOLDER CHAPTER`
 * writes report-light.png and report-dark.png, from the named chapter downwards.
 */
const [report, executablePath, folder, chapter] = process.argv.slice(2);
if (report === undefined || executablePath === undefined || folder === undefined || chapter === undefined) {
  throw new Error('picture-report: needs the report, the path of Chromium, a folder and a chapter’s id');
}
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
for (const colorScheme of ['light', 'dark'] as const) {
  const context = await browser.newContext({ colorScheme, viewport: { width: 1200, height: 640 } });
  const page = await context.newPage();
  await page.goto(pathToFileURL(resolve(report)).href);
  await page.locator(`#${chapter}`).evaluate((heading) => heading.scrollIntoView());
  await page.screenshot({ path: join(folder, `report-${colorScheme}.png`) });
}
await browser.close();
