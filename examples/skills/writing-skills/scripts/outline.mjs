#!/usr/bin/env node
// Shows a skill as an agent meets it: sizes, headings, and links that lead nowhere.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';

const folder = process.argv[2];
if (folder === undefined || folder === '--help' || folder === '-h') {
  console.log('usage: node outline.mjs SKILL-FOLDER\n\nExit code: 0 fine, 1 a link leads nowhere, 2 no such skill.');
  process.exit(folder === undefined ? 2 : 0);
}
if (!existsSync(join(folder, 'SKILL.md'))) {
  console.error(`${folder} has no SKILL.md`);
  process.exit(2);
}

function filesBelow(directory) {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.name !== '.git' && entry.name !== 'node_modules')
    .flatMap((entry) => {
      const path = join(directory, entry.name);
      return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : [];
    });
}

const shown = (path) => relative(folder, path).split(sep).join('/');
// Examples in code are no links.
const withoutCode = (text) => text.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, '');
const linksOf = (text) => [...withoutCode(text).matchAll(/\]\(([^)\s]+)[^)]*\)/g)].map((match) => match[1]);

let broken = 0;
const named = new Set(['SKILL.md']);
const files = filesBelow(folder).sort();
for (const file of files) {
  const size = statSync(file).size;
  if (!file.endsWith('.md')) {
    console.log(`${String(size).padStart(8)} B          ${shown(file)}`);
    continue;
  }
  const text = readFileSync(file, 'utf8');
  console.log(`${String(size).padStart(8)} B ${String(text.split('\n').length).padStart(5)} l  ${shown(file)}`);
  for (const heading of withoutCode(text).match(/^#{1,3} .+$/gm) ?? []) console.log(`                     ${heading}`);
  for (const link of linksOf(text)) {
    if (/^[a-z][a-z0-9+.-]*:|^#/i.test(link)) continue;
    const target = normalize(join(dirname(file), decodeURIComponent(link.split(/[?#]/)[0])));
    named.add(shown(target));
    if (existsSync(target)) continue;
    broken += 1;
    console.log(`                     leads nowhere: ${link}`);
  }
}
const main = readFileSync(join(folder, 'SKILL.md'), 'utf8');
for (const file of files.map(shown)) {
  if (!named.has(file) && !main.includes(file)) console.log(`never named in SKILL.md: ${file}`);
}
process.exit(broken === 0 ? 0 : 1);
