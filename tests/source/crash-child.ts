import { fetchArchive } from '../../src/source/index.ts';
import { openStore } from '../../src/store/index.ts';

// A process that has a zip from a server open, on disk, until it is killed.
const [folder = '', url = ''] = process.argv.slice(2);
await fetchArchive(url, { store: openStore(folder), allowPrivate: true });
process.stdout.write('open\n');
setInterval(() => {}, 1_000);
