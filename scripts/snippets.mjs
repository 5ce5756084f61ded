// Copies code into documents from files that are compiled, so that no document shows code that does not.
//
// A block that follows `<!-- snippet: FILE#REGION -->` holds what FILE has between `// #region REGION` and
// `// #endregion REGION`, without its indentation. FILE is below the project. A `ts` block without such a line is an error.
//
// A block that begins with `interface NAME` shows the shape of an exported interface of that name, which must have
// every field that the block names.
//
// Usage: node scripts/snippets.mjs [--check]
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const check = process.argv.includes('--check');
const documents = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter(
    (path) => path !== '' && !path.startsWith('tests/') && !path.startsWith('examples/') && existsSync(path),
  );
const BLOCK = /(?:<!-- snippet: (\S+)#(\S+) -->\n)?```ts\n([\s\S]*?)```/g;
const problems = [];
let blocks = 0;

/** The lines of a region, without the indentation that all of them have. */
function region(file, name) {
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, 'utf8').split(/\r?\n/);
  const from = lines.findIndex((line) => line.trim() === `// #region ${name}`);
  const to = lines.findIndex((line) => line.trim() === `// #endregion ${name}`);
  if (from === -1 || to < from) return undefined;
  const body = lines.slice(from + 1, to);
  const indent = Math.min(...body.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)));
  return `${body.map((line) => line.slice(indent)).join('\n')}\n`;
}

const interfaces = new Map(
  readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => [
      ...readFileSync(join('src', path), 'utf8').matchAll(/^export interface (\w+)[^{]*\{([\s\S]*?)^\}/gm),
    ])
    .map(([, name, body]) => [name, body]),
);

/** The fields of a shown interface that the real one does not have; undefined when the block is no interface. */
function unknownFields(body) {
  const name = /^interface (\w+)/.exec(body)?.[1];
  if (name === undefined) return undefined;
  const fields = [...body.matchAll(/^ {2}(\w+\??):/gm)].map((match) => match[1]);
  return fields.filter((field) => !interfaces.get(name)?.includes(` ${field}:`));
}

for (const path of documents) {
  const text = readFileSync(path, 'utf8');
  const synced = text.replace(BLOCK, (whole, file, name, body) => {
    blocks++;
    const unknown = file === undefined ? unknownFields(body) : undefined;
    if (unknown !== undefined) {
      for (const field of unknown) problems.push(`${path}: shows an interface without a field ${field}`);
      return whole;
    }
    if (file === undefined) {
      problems.push(`${path}: a ts block without a snippet line: ${body.split('\n')[0]}`);
      return whole;
    }
    const wanted = region(file, name);
    if (wanted === undefined) {
      problems.push(`${path}: ${file} has no region ${name}`);
      return whole;
    }
    if (wanted !== body && check)
      problems.push(`${path}: ${file}#${name} has changed; run node scripts/snippets.mjs`);
    return `<!-- snippet: ${file}#${name} -->\n\`\`\`ts\n${wanted}\`\`\``;
  });
  if (!check && synced !== text) writeFileSync(path, synced);
}

for (const problem of problems) console.error(`FAIL ${problem}`);
console.log(`docs: ${blocks - Math.min(blocks, problems.length)} passed, ${problems.length} failed`);
process.exitCode = problems.length > 0 ? 1 : 0;
