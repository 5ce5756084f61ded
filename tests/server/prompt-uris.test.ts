/** Every form of URI of prompts and documents, over the wire: what is answered and what is refused. */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Docs, openDocs, openPrompts, type PromptRegistry } from '../../src/prompts/index.ts';
import { createProvider, type SkillProvider } from '../../src/server/index.ts';
import { type Link, linkProvider, REVISIONS } from './link.ts';

let root: string;
let prompts: PromptRegistry;
let docs: Docs;
let provider: SkillProvider;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'skillwire-uris-'));
  for (const folder of ['prompts', 'docs/guide/deep', 'docs/folder.md', 'outside']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  const files: Readonly<Record<string, string>> = {
    'prompts/code-review.md': '---\ndescription: Review\ntags: [b, a]\n---\nReview.\r\n',
    'prompts/triage.md': '---\ndescription: Triage\n---\nTriage.\n',
    'docs/index.md': '# I\r\n',
    'docs/guide/a b.md': '# AB\n',
    'docs/guide/deep/é.md': '# E\n',
    'docs/guide/%2e.md': 'percent\n',
    'docs/notes.txt': 'no',
    'docs/UP.MD': 'no',
    'docs/x.markdown': 'no',
    'docs/.env.md': 'TOKEN=1',
    'outside/secret.md': 'secret',
  };
  for (const [path, text] of Object.entries(files)) await writeFile(join(root, path), text);
  await symlink('../outside/secret.md', join(root, 'docs', 'leak.md'));
  await symlink('../outside', join(root, 'docs', 'leaks'));
  prompts = await openPrompts(join(root, 'prompts'));
  docs = await openDocs(join(root, 'docs'));
  provider = await createProvider({ prompts, docs });
});
afterAll(async () => {
  await provider.close();
  await prompts.close();
  await docs.close();
  rmSync(root, { recursive: true, force: true });
});

const INDEX = 'resource://catalog/prompts_index';
const ONE = Buffer.from('{"o": 1}').toString('base64url');

const READ: readonly (readonly [string, string, string | RegExp])[] = [
  [INDEX, 'application/json', /"total": 2\n\}$/],
  [`RESOURCE${INDEX.slice(8)}`, 'application/json', /"total": 2/],
  [`${INDEX}?`, 'application/json', /"total": 2/],
  [`${INDEX}?q=REVIEW`, 'application/json', /"total": 1/],
  [`${INDEX}?q=%20review%20&q=none`, 'application/json', /"total": 1/],
  [`${INDEX}?q=`, 'application/json', /"total": 2/],
  [`${INDEX}?tag=a`, 'application/json', /"total": 1/],
  [`${INDEX}?tag=A`, 'application/json', /"total": 0/],
  [`${INDEX}?limit=1`, 'application/json', /"nextCursor": "eyJvIjogMX0="/],
  [`${INDEX}?limit=100&other=1`, 'application/json', /"total": 2/],
  [`${INDEX}?cursor=${ONE}`, 'application/json', /"id": "triage"/],
  ['resource://catalog/prompts/code-review', 'application/json', /^\{\n {2}"id": "code-review"/],
  ['resource://catalog/prompts/code%2Dreview', 'application/json', /"code-review"/],
  [
    'resource://prompts/code-review/document',
    'text/markdown',
    '---\ndescription: Review\ntags: [b, a]\n---\nReview.\r\n',
  ],
  ['resource://docs/index.md', 'text/markdown', '# I\r\n'],
  ['resource://docs/guide/a%20b.md', 'text/markdown', '# AB\n'],
  ['resource://docs/guide%2Fa%20b.md', 'text/markdown', '# AB\n'],
  ['resource://docs/guide/deep/%C3%A9.md', 'text/markdown', '# E\n'],
  ['resource://docs/guide/%252e.md', 'text/markdown', 'percent\n'],
];

/** Nothing is there, in the same words whatever the reason. */
const NOT_FOUND: readonly string[] = [
  'resource://catalog',
  'resource://catalog/',
  'resource://catalog/prompts',
  'resource://catalog/prompts/',
  'resource://catalog/prompts_index/',
  'resource://catalog/prompts_indexes',
  'resource://catalog/Prompts_Index',
  'resource://catalog/prompts/none',
  'resource://catalog/prompts/Code-Review',
  'resource://catalog/prompts/code_review',
  'resource://catalog/prompts/..',
  'resource://catalog/prompts/a%2Fb',
  'resource://catalog/prompts/code-review/',
  'resource://catalog/prompts/code-review/x',
  'resource://catalog/prompts/code-review%',
  'resource://prompts/code-review',
  'resource://prompts/code-review/',
  'resource://prompts/code-review/document/',
  'resource://prompts/code-review/Document',
  'resource://prompts//document',
  'resource://prompts/../document',
  'resource://prompts/none/document',
  'resource://docs',
  'resource://docs/',
  'resource://docs//index.md',
  'resource://docs/./index.md',
  'resource://docs/../docs/index.md',
  'resource://docs/guide/../index.md',
  'resource://docs/%2e%2e/outside/secret.md',
  'resource://docs/..%2Foutside/secret.md',
  'resource://docs/..%5Coutside/secret.md',
  'resource://docs/guide%5Ca%20b.md',
  'resource://docs/guide\\a b.md',
  'resource://docs/%2Fetc/x.md',
  'resource://docs//etc/x.md',
  'resource://docs/C:x.md',
  'resource://docs/C:/x.md',
  'resource://docs/a%00.md',
  'resource://docs/a%0A.md',
  'resource://docs/index.md?x=1',
  'resource://docs/index.md#top',
  'resource://docs/index.md/',
  'resource://docs/index',
  'resource://docs/none.md',
  'resource://docs/guide',
  'resource://docs/folder.md',
  'resource://docs/notes.txt',
  'resource://docs/UP.MD',
  'resource://docs/UP.md',
  'resource://docs/x.markdown',
  'resource://docs/.md',
  'resource://docs/.env.md',
  'resource://docs/leak.md',
  'resource://docs/leaks/secret.md',
  'resource://docs/bad%escape.md',
];

/** The parameters are wrong, and the answer says which. */
const INVALID: readonly (readonly [string, string])[] = [
  [`${INDEX}?limit=0`, 'INVALID_REQUEST'],
  [`${INDEX}?limit=101`, 'INVALID_REQUEST'],
  [`${INDEX}?limit=`, 'INVALID_REQUEST'],
  [`${INDEX}?limit=1.5`, 'INVALID_REQUEST'],
  [`${INDEX}?limit=%2B1`, 'INVALID_REQUEST'],
  [`${INDEX}?limit=010`, 'INVALID_REQUEST'],
  [`${INDEX}?cursor=`, 'INVALID_CURSOR'],
  [`${INDEX}?cursor=!!!`, 'INVALID_CURSOR'],
  [`${INDEX}?cursor=${Buffer.from('{"o": -1}').toString('base64url')}`, 'INVALID_CURSOR'],
  [`${INDEX}?cursor=${Buffer.from('{"o": 3}').toString('base64url')}`, 'INVALID_CURSOR'],
  [`${INDEX}?q=none&cursor=${ONE}`, 'INVALID_CURSOR'],
];

describe.each(REVISIONS)('%s', (revision) => {
  let link: Link;
  beforeAll(async () => {
    link = await linkProvider(provider, revision);
  });
  afterAll(() => link.close());

  test.each(READ)('reads %s', async (uri, mimeType, text) => {
    const { result } = await link.ask('resources/read', { uri });
    const [contents, ...others] = (result?.contents ?? []) as {
      uri: string;
      mimeType: string;
      text: string;
    }[];
    expect(others).toEqual([]);
    expect({ uri: contents?.uri, mimeType: contents?.mimeType }).toEqual({ uri, mimeType });
    if (typeof text === 'string') expect(contents?.text).toBe(text);
    else expect(contents?.text).toMatch(text);
  });

  test.each(NOT_FOUND)('refuses %s', async (uri) => {
    const { error } = await link.ask('resources/read', { uri });
    expect(error?.code).toBe(-32602);
    expect(error?.data).toEqual({ uri });
    expect(error?.message).toMatch(/^no such resource: "/);
    expect(JSON.stringify(error)).not.toContain(root);
  });

  test.each(INVALID)('refuses the parameters of %s', async (uri, code) => {
    const { error } = await link.ask('resources/read', { uri });
    expect(error).toMatchObject({ code: -32602, data: { code, uri } });
  });

  test('refuses a URI that is too long without sending it back', async () => {
    for (const uri of [`${INDEX}?q=${'x'.repeat(9_000)}`, `resource://docs/${'x'.repeat(9_000)}.md`]) {
      const { error } = await link.ask('resources/read', { uri });
      expect(error).toMatchObject({ code: -32602, data: { code: 'URI_TOO_LONG', limit: 8192 } });
      expect(JSON.stringify(error).length).toBeLessThan(400);
    }
  });
});
