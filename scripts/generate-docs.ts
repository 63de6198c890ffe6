import { readFile, writeFile } from 'node:fs/promises';

import { renderReadme } from './readme.js';

const file = new URL('../README.md', import.meta.url);
await writeFile(file, await renderReadme(await readFile(file, 'utf8')));
