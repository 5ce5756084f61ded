import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openStore } from '../../src/store/index.ts';

// A process that uses a store and then ends as it is told: by `process.exit`, or by being killed.
const [path = '', how = ''] = process.argv.slice(2);
const store = openStore(path);
const file = await store.tempFile('child');
await file.write(Buffer.from('half a download'));
const folder = await store.tempFolder('child');
await writeFile(join(folder.path, 'x'), 'y');
await new Promise((resolve) => process.stdout.write(`${folder.path}\n`, resolve));
if (how === 'exit') process.exit(0);
if (how === 'throw') throw new Error('a fault of the child');
setInterval(() => {}, 1_000);
