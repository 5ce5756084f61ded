/**
 * Entries that break the rules of the extension.
 *
 * @module
 */
import type { HostileDefinition } from './hostile-case.ts';
import { frontmatterOf, type Liar } from './liar.ts';
import { released } from './released-script.ts';

function entry(name: string, lies: string, lie: (liar: Liar) => void, skill?: string): HostileDefinition {
  return released({
    name,
    lies,
    at: 'list',
    expect: 'INVALID_ENTRY',
    ...(skill === undefined ? {} : { skill }),
    lie: (liar) => {
      lie(liar);
      return undefined;
    },
  });
}

/** One more file, by its URI, with a digest and a size of the right form. */
function listed(uri: string): (liar: Liar) => void {
  return ({ resources }) => {
    resources.push({ ...resources[0], uri });
  };
}

function digest(change: (digest: string) => unknown): (liar: Liar) => void {
  return ({ resources }) => {
    const [first] = resources;
    if (first !== undefined) first.digest = change(String(first.digest));
  };
}

function size(value: unknown): (liar: Liar) => void {
  return ({ resources }) => {
    const [first] = resources;
    if (first !== undefined) first.size = value;
  };
}

function resourcesAre(value: unknown): (liar: Liar) => void {
  return (liar) => {
    liar.entry.resources = value;
  };
}

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

/** Every one of them is refused as an entry, and takes no other down. */
export const ENTRY_CASES: readonly HostileDefinition[] = [
  entry(
    'outside-root',
    'a file of the entry belongs to another skill',
    listed('skill://honest/references/DATA.md'),
  ),
  entry(
    'beside-root',
    'a file lies in a folder whose name begins like that of the skill',
    listed('skill://liar-2/x.md'),
  ),
  entry('other-scheme', 'a file has another scheme than its skill', listed('https://liar/x.md')),
  entry('file-scheme', 'a file is one of this machine', listed('file:///etc/passwd')),
  entry(
    'name-dot-dot',
    'the URI of a file leads out of the skill',
    listed('skill://liar/../honest/SKILL.md'),
  ),
  entry('name-dot-dot-encoded', 'it does so percent-encoded', listed('skill://liar/%2e%2e/honest/SKILL.md')),
  entry(
    'name-slash-encoded',
    'a name holds a percent-encoded slash',
    listed('skill://liar/..%2Fhonest%2FSKILL.md'),
  ),
  entry('name-backslash', 'a name holds backslashes', listed('skill://liar/..\\..\\x')),
  entry(
    'name-backslash-encoded',
    'a name holds percent-encoded backslashes',
    listed('skill://liar/..%5C..%5Cx'),
  ),
  entry('name-absolute', 'a path begins anew inside the URI', listed('skill://liar//etc/passwd')),
  entry('name-nul', 'a name holds a NUL', listed('skill://liar/x%00.md')),
  entry('name-control', 'a name holds an escape code for terminals', listed('skill://liar/x%1B%5B2J.md')),
  entry('name-query', 'the URI of a file has a query', listed('skill://liar/x.md?token=1')),
  entry('folder-as-file', 'a folder is listed as a file', listed('skill://liar/references/')),
  entry(
    'file-twice',
    'a file stands in the entry twice, in two spellings',
    listed('skill://liar/references/D%41TA.md'),
  ),
  entry('resources-missing', 'the entry does not tell its files', resourcesAre(undefined)),
  entry('resources-null', 'the files are null', resourcesAre(null)),
  entry('resources-word', 'the files are a word that is none of the extension', resourcesAre('DYNAMIC')),
  entry('resources-empty', 'SKILL.md is not among the files', resourcesAre([])),
  entry(
    'digest-missing',
    'a file has no digest',
    digest(() => undefined),
  ),
  entry(
    'digest-upper-case',
    'a digest is in upper case',
    digest((text) => text.toUpperCase()),
  ),
  entry(
    'digest-bare',
    'a digest does not say how it was made',
    digest((text) => text.slice('sha256:'.length)),
  ),
  entry(
    'digest-short',
    'a digest is cut short',
    digest((text) => text.slice(0, 20)),
  ),
  entry(
    'digest-other-hash',
    'a digest is a weaker one',
    digest(() => `md5:${'0'.repeat(32)}`),
  ),
  entry('size-missing', 'a file has no size', size(undefined)),
  entry('size-negative', 'a size is below nothing', size(-1)),
  entry('size-fraction', 'a size is half a byte', size(0.5)),
  entry('size-text', 'a size is text', size('12')),
  entry('prototype-key', 'the frontmatter has a key that is no key of a careless copy', (liar) => {
    liar.entry.frontmatter = JSON.parse(
      `{"__proto__":{"trusted":true},${JSON.stringify(frontmatterOf('liar')).slice(1)}`,
    );
  }),
  entry('deep-json', 'the frontmatter of the entry is 2,000 levels deep', (liar) => {
    liar.entry.frontmatter = { ...frontmatterOf('liar'), deep: nested(2_000) };
  }),
  entry('name-differs', 'the name is not that of the folder', (liar) => {
    liar.entry.frontmatter = frontmatterOf('honest');
  }),
  entry('description-missing', 'the entry has no description', (liar) => {
    liar.entry.frontmatter = { name: 'liar' };
  }),
];
