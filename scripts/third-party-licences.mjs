// The licences of what others wrote in bundled files.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Texts of packages that others have in their own bundles, where no installed package holds them. */
const KEPT = join(import.meta.dirname, 'licences');

const PACKAGE = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/;
/** How the bundler of the SDK marks what it took from a package. */
const EMBEDDED = /^\/\/#region .*\/\.pnpm\/(?<id>[^/]+)\/node_modules\//gm;

/**
 * One text with the name, the version and the licences of every package that has code in `outputs`, which are esbuild's and
 * whose paths begin at the folder `root`. Fails for a package without a text.
 */
export function thirdPartyLicences(root, outputs) {
  const texts = new Map();
  const modules = outputs
    .flatMap(({ inputs }) => Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0))
    .map((path) => resolve(root, path))
    .filter((path) => PACKAGE.test(path));
  for (const path of new Set(modules)) {
    const [folder] = PACKAGE.exec(path);
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const id = `${name} ${version}`;
    if (!texts.has(id)) texts.set(id, [`${id} (${license})`, ...licencesIn(folder, id)].join('\n\n'));
    for (const { groups } of readFileSync(path, 'utf8').matchAll(EMBEDDED)) {
      const [, embedded, of] = /^(.+)@([^@_]+)/.exec(groups.id.replace('+', '/'));
      texts.set(
        `${embedded} ${of}`,
        [`${embedded} ${of}, as part of ${name}`, keptLicence(embedded, id)].join('\n\n'),
      );
    }
  }
  const parts = [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  const lead = 'The program `skillwire` holds code of these packages, each under its own licence.';
  return `${[lead, ...parts].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

function licencesIn(folder, id) {
  const names = readdirSync(folder).filter((name) => /^(licen[cs]e|notice)(\.(md|txt))?$/i.test(name));
  if (!names.some((name) => /^licen/i.test(name)))
    throw new Error(`${id} is bundled and has no licence text`);
  return names.map((name) => readFileSync(join(folder, name), 'utf8').trim());
}

function keptLicence(name, id) {
  const path = join(KEPT, `${name.replace('/', '+')}.txt`);
  if (!existsSync(path))
    throw new Error(`${id} holds code of ${name}, and scripts/licences has no text of its licence`);
  return readFileSync(path, 'utf8').trim();
}
