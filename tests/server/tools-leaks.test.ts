/** No tool says a path of this machine, whatever a model asks and whatever happens to the files. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCatalog } from '../../src/catalog/index.ts';
import { SkillError } from '../../src/errors.ts';
import { toProtocolError } from '../../src/server/errors.ts';
import { createProvider, type SkillProvider, type SurfaceContext } from '../../src/server/index.ts';
import { callTool } from '../../src/server/surfaces/call-tool.ts';
import { directorySource, memorySource } from '../../src/source/index.ts';
import { type Link, linkProvider } from './link.ts';
import { recordingLogger, skillText } from './support.ts';

let root: string;
let provider: SkillProvider;
let link: Link;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'skillwire-tools-'));
  mkdirSync(join(root, 'pdf', 'references'), { recursive: true });
  writeFileSync(join(root, 'pdf', 'SKILL.md'), skillText('pdf'));
  writeFileSync(join(root, 'pdf', 'references', 'a.md'), 'a');
  mkdirSync(join(root, 'gone'));
  writeFileSync(join(root, 'gone', 'SKILL.md'), skillText('gone'));
  writeFileSync(join(root, 'gone', 'x.md'), 'x');
  writeFileSync(join(root, 'secret.txt'), 'TOP SECRET');
  symlinkSync(join(root, 'secret.txt'), join(root, 'pdf', 'link.txt'));
  provider = await createProvider({ source: directorySource(root), expose: ['tools'] });
  link = await linkProvider(provider, '2025-11-25');
  // After the scan, so that every read of it finds nothing.
  rmSync(join(root, 'gone'), { recursive: true });
});
afterAll(async () => {
  await link.close();
  await provider.close();
  rmSync(root, { recursive: true, force: true });
});

async function answer(name: string, given: unknown): Promise<string> {
  return JSON.stringify(await link.ask('tools/call', { name, arguments: given }));
}
function clean(text: string): void {
  expect(text).not.toContain(root);
  expect(text).not.toContain('TOP SECRET');
  expect(text).not.toContain(process.cwd());
  expect(text).not.toMatch(/node_modules|\.ts:\d+|at \w+ \(/);
}

const PIECES = fc.constantFrom(
  '..',
  '.',
  '/',
  '\\',
  '%2e%2e',
  '%2F',
  '%5c',
  '%00',
  '\u0000',
  'pdf',
  'SKILL.md',
  'references',
  'a.md',
  'gone',
  'x.md',
  'link.txt',
  'secret.txt',
  'skill://',
  'file://',
  'C:',
  '?',
  '#',
  '%',
  'é',
  '\ud800',
  ' ',
  '~',
  '_manifest',
  'index.json',
);
const HOSTILE = fc.oneof(
  fc.array(PIECES, { maxLength: 8 }).map((pieces) => pieces.join('')),
  fc.array(PIECES, { maxLength: 8 }).map((pieces) => pieces.join('/')),
  fc.string({ unit: 'binary', maxLength: 60 }),
);

describe('whatever a model asks', () => {
  it.each([
    ['load_skill', ['name', 'uri']],
    ['read_skill_file', ['skill', 'path']],
    ['read_resource', ['uri']],
    ['list_skills', ['query', 'cursor']],
  ])('%s', async (name, keys) => {
    const given = fc.record(Object.fromEntries(keys.map((key) => [key, HOSTILE])), { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(given, async (values) => clean(await answer(name, values))),
      { numRuns: 150 },
    );
  });

  it.each([
    ['the path of the source', () => root],
    ['a URI of it', () => `file://${root}/secret.txt`],
  ])('%s comes back only as it was sent', async (_, text) => {
    const said = await answer('read_resource', { uri: text() });
    expect(said).toContain('no such resource');
    expect(said).not.toContain('TOP SECRET');
  });

  it('a link out of the skill is not there', async () => {
    expect(await answer('read_skill_file', { skill: 'pdf', path: 'link.txt' })).toContain('has no file');
  });

  it('files that went away since the scan', async () => {
    for (const [name, given] of [
      ['read_resource', { uri: 'skill://gone/x.md' }],
      ['read_skill_file', { skill: 'gone', path: 'x.md' }],
      ['load_skill', { name: 'gone' }],
    ] as const) {
      const said = await answer(name, given);
      clean(said);
      expect(said).toContain('"isError":true');
    }
  });
});

describe('whatever happens below', () => {
  const context: SurfaceContext = {
    era: 'modern',
    ttlMs: 0,
    cacheScope: 'private',
    pageBytes: 8_388_608,
    responseBytes: 9_437_184,
    metaPrefix: '',
    exposed: { tools: true, prompts: false, perClient: true },
  };

  it.each([
    [
      'an error of the system',
      new Error("EACCES: permission denied, open '/home/me/skills/pdf/SKILL.md'"),
      'A fault in Skillwire',
    ],
    [
      'an error that names the source',
      new SkillError('FILE_UNREADABLE', '/home/me/skills/pdf/a.md: EIO'),
      'skill://pdf/SKILL.md',
    ],
    ['null', null, 'A fault in Skillwire'],
    ['a closed provider', new SkillError('PROVIDER_CLOSED'), 'closed'],
  ])('%s is an error without its words', async (_, thrown, text) => {
    const { logger, lines } = recordingLogger();
    const catalog = await openCatalog(memorySource({ 'pdf/SKILL.md': skillText('pdf') }));
    const result = await callTool(
      {
        catalog,
        read: () => Promise.reject(thrown),
        wordsOf: (error, uri) =>
          toProtocolError(error, { method: 'tools/call', ...(uri !== undefined && { uri }) }, logger).message,
      },
      { name: 'read_resource', arguments: { uri: 'skill://pdf/SKILL.md' } },
      context,
    );
    await catalog.close();
    expect(result.isError).toBe(true);
    const said = JSON.stringify(result).toLowerCase();
    expect(said).toContain(text.toLowerCase());
    expect(said).not.toContain('/home/me');
    expect(lines.length).toBeGreaterThan(0);
  });
});
