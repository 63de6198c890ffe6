/**
 * Writes all that the exporter serves to a folder: expositions, JSON and pages along timelines of faults and reloads, texts of
 * the command line, and the expositions of recorded summaries (`--captures DIR`). A change of the code that should change no
 * byte is shown by `diff -r` of the folders of before and after. `npx tsx scripts/served.ts OUT`
 */
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';

import { writeCaptures } from './served/captures.js';
import { writeCommands } from './served/commands.js';
import { ServedFolder } from './served/folder.js';
import { writeTimeline } from './served/run-timeline.js';
import { timelines } from './served/timelines.js';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { captures: { type: 'string' }, only: { type: 'string' } },
});
const [location] = positionals;
if (location === undefined) throw new Error('name the folder to write to');
const folder = new ServedFolder(path.resolve(location));
const isWanted = (name: string): boolean => flags.only === undefined || flags.only.split(',').includes(name);

for (const timeline of timelines) if (isWanted(timeline.name)) await writeTimeline(timeline, folder);
if (isWanted('commands')) await writeCommands(folder);
if (flags.captures !== undefined && isWanted('captures')) await writeCaptures(flags.captures, folder);
process.exit(0); // kubelets that hang keep their connections
