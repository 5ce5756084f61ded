/** Packs a folder, as if it were one skill, into FILE. Usage: node pack.mjs FOLDER FILE tar.gz|zip */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { packSkill } from 'skillwire/archive';

const [root = '', file = '', format = ''] = process.argv.slice(2);
const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return { path: relative(root, path).split(sep).join('/'), bytes: readFileSync(path) };
  });
const top = { path: 'SKILL.md', bytes: Buffer.from('---\nname: pack\ndescription: All of it.\n---\n') };
const packed = await packSkill([top, ...files], format);
writeFileSync(file, packed);
console.log(JSON.stringify({ count: files.length + 1, bytes: packed.length }));
