/** A server of its own process for the tests of stdio: `node --import tsx stdio-program.ts`. */
import { createProvider, serveStdio } from '../../src/server/index.ts';
import { memorySource } from '../../src/source/index.ts';

const source = memorySource({
  'pdf/SKILL.md': '---\nname: pdf\ndescription: About pdf\n---\n',
  'pdf/big.txt': 'x'.repeat(9_437_184),
  'pdf/most.txt': 'x'.repeat(9_400_000),
  'broken/SKILL.md': 'no frontmatter',
});
const provider = await createProvider({ source });
// What keeps a process alive in real life: a watcher, a timer.
setInterval(() => undefined, 1000);
const connection = serveStdio(provider, { onListening: () => process.stderr.write('ready\n') });
await connection.closed;
await provider.close();
process.exit(7);
